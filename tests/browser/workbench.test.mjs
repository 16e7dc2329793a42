// A person opens a program, finds a place in it, shares the address and comes back: whole journeys
// over the real matmul_small, on the server and in the browser alone.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, openPage, screenshot, withPage } from "./support/browser.mjs";
import { root, startServer } from "./support/server.mjs";

const real = process.env.NEFFSCOPE_REAL ?? join(root, "../shared/real");
const small = join(real, "matmul_small/matmul_small.neff");
const skip = existsSync(small) ? false : `${small} is not there`;

let server;
let browser;
let view;

before(async () => {
  if (skip) return;
  server = await startServer({ files: [small] });
  browser = await openBrowser();
  view = /open http:\/\/[^/]+(\/f\/[a-z2-7]+)\//.exec(server.log())?.[1];
  assert.ok(view, "the server names the address of the file");
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Waits until the details of a slot are shown. */
async function settled(page, mnemonic) {
  await page.locator(".det:not(.mdet, .tdet) .idh", { hasText: mnemonic }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".vg[aria-busy=true]"));
}

/** The selected row of the Code pane. */
const selected = (page) => page.locator(".vr[aria-selected=true]");

/** The place that the address names, as an object. */
const place = (page) => Object.fromEntries(new URL(page.url()).searchParams);

/** Drops a file on an element, as a person would. */
async function drop(page, selector, name, bytes) {
  const transfer = await page.evaluateHandle(
    ({ name, text }) => {
      const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([data], name));
      return transfer;
    },
    { name, text: bytes.toString("base64") },
  );
  for (const kind of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent(selector, kind, { dataTransfer: transfer });
  }
}

test("a PC leads to its source line, and its address leads back", { skip }, async () => {
  let address;
  await withPage(browser, `${server.url}${view}/regions`, {}, async (page) => {
    // The page starts at the first record of MAIN.
    await settled(page, "SET_ORDERING_MODE");
    await page.waitForURL(/[?&]slot=62\b/);

    // A click into the strip of POOL selects there.
    const strips = page.locator(".reg .strips");
    await strips.waitFor();
    await page.getByRole("tab", { name: "POOL" }).click();
    await page.waitForURL(/e=POOL/);
    assert.equal(await page.getByRole("tab", { name: "POOL" }).getAttribute("aria-selected"), "true");

    // A device PC, typed as in a log: PE slot 64 lies 64 x 64 bytes above the base.
    await page.keyboard.press("g");
    await page.keyboard.type("0x8005c0411000");
    await page.locator("#goto-list [role=option]").first().waitFor();
    await page.keyboard.press("Enter");
    await settled(page, "LDWEIGHTS");
    await page.waitForURL(/e=PE&slot=64/);
    assert.match(await selected(page).innerText(), /^64\s*4\s/);

    // Its source: the compiler record, under the line of the program.
    const node = page.locator(".srcp [aria-selected=true]");
    await node.waitFor();
    assert.match(await node.innerText(), /I-87-0/);
    assert.match(await page.locator(".srcp").innerText(), /test_spike_async\.py:58/);
    address = page.url();

    // Back returns to where the jump started, forward to where it led.
    await page.goBack();
    await page.waitForURL(/e=POOL/);
    await page.locator(".crumb", { hasText: "POOL" }).waitFor();
    await page.goForward();
    await settled(page, "LDWEIGHTS");
    await page.waitForURL(address);
  });

  // Another person, another profile: the same place.
  await withPage(browser, address, {}, async (page) => {
    await settled(page, "LDWEIGHTS");
    assert.match(await selected(page).innerText(), /^64\s*4\s/);
    await page.waitForURL(address);
    await screenshot(page, "workbench");
  });
});

test("the keyboard alone is enough", { skip }, async () => {
  await withPage(browser, `${server.url}${view}/code?e=PE&slot=62`, {}, async (page) => {
    await settled(page, "SET_ORDERING_MODE");
    const row = () => selected(page).innerText();

    // Down over the deleted record, whose row has an IP and no slot.
    await page.keyboard.press("j");
    await page.waitForFunction(() => /^—/.test(document.querySelector(".vr.sel")?.innerText ?? ""));
    assert.match(await row(), /PSEUDO_BRANCH_LABEL/);
    await page.keyboard.press("ArrowDown");
    await settled(page, "EVENT_SEMAPHORE");
    await page.waitForURL(/slot=63/);

    // Enter opens its 64 bytes and names their fields.
    await page.keyboard.press("Enter");
    await page.locator(".xp").waitFor();
    await page.locator(".xp .xi").first().waitFor();
    assert.match(await page.locator(".xp .hexb").innerText(), /^00\s*a0 10/);
    assert.match(await page.locator(".xp").innerText(), /sem\[24\]/);
    await page.keyboard.press("Enter");
    await page.locator(".xp").waitFor({ state: "hidden" });

    // Patches in order, around the end.
    await page.keyboard.press("n");
    await settled(page, "DRAIN");
    assert.match(await row(), /^73/);
    await page.keyboard.press("Shift+N");
    await page.waitForFunction(() => /^—/.test(document.querySelector(".vr.sel")?.innerText ?? ""));

    // First and last slot.
    await page.keyboard.press("Control+End");
    await page.waitForFunction(() => /^83/.test(document.querySelector(".vr.sel")?.innerText ?? ""));
    await page.keyboard.press("Control+Home");
    await page.waitForFunction(() => /^0/.test(document.querySelector(".vr.sel")?.innerText ?? ""));

    // Every pane is reached by F6.
    const panes = new Set();
    for (let turn = 0; turn < 4; turn += 1) {
      await page.keyboard.press("F6");
      await page.waitForTimeout(60);
      panes.add(await page.evaluate(() => document.activeElement?.closest(".pane, .det")?.className ?? "none"));
    }
    assert.equal(panes.size, 4, [...panes].join(" | "));
    assert.ok(![...panes].includes("none"));

    // The palette runs a command by its words; the theme follows and is kept.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("theme: light");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "light");

    // The key sheet opens, and Esc gives the focus back.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });

    // Keys typed into a text field are text.
    await page.keyboard.press("g");
    await page.keyboard.type("njk");
    assert.equal(await page.locator("#goto-input").inputValue(), "njk");
    assert.match(await row(), /^0/);
  });
});

test("single-letter keys can be switched off", { skip }, async () => {
  await withPage(browser, `${server.url}${view}/code?e=PE&slot=62`, {}, async (page) => {
    await settled(page, "SET_ORDERING_MODE");
    await page.keyboard.press("?");
    await page.getByRole("button", { name: "Turn single-letter keys off" }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await page.keyboard.press("j");
    await page.waitForTimeout(100);
    assert.match(await selected(page).innerText(), /^62/);
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => /^—/.test(document.querySelector(".vr.sel")?.innerText ?? ""));
  });
});

test("a file is read in this browser alone, and again after a reload", { skip }, async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => request.url().includes("/api/") && sent.push(request.url()));
    // Nothing has to be chosen: reading here is what happens by itself.
    assert.ok(await page.getByRole("radio", { name: /Read in this browser/ }).isChecked());
    await drop(page, "#drop", "matmul_small.neff", readFileSync(small));
    await settled(page, "SET_ORDERING_MODE");
    assert.equal(new URL(page.url()).pathname, "/local/regions");
    await page.keyboard.press("g");
    await page.keyboard.type("ip 4");
    await page.keyboard.press("Enter");
    await settled(page, "LDWEIGHTS");
    await page.waitForURL(/slot=64/);
    assert.deepEqual(sent, [], "nothing leaves the browser");

    await page.reload();
    await page.getByText("Drop the file here again.").waitFor();
    await drop(page, "#main", "matmul_small.neff", readFileSync(small));
    await settled(page, "LDWEIGHTS");
    await page.waitForURL(/[?&]slot=64\b/);
    assert.deepEqual(sent, []);
  });
});

test("a file opened on the server has an address for others", { skip }, async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await page.getByRole("radio", { name: /Upload to this server/ }).check();
    await drop(page, "#drop", "matmul_small.neff", readFileSync(small));
    await page.waitForURL(/\/f\/[a-z2-7]+\/regions/);
    await settled(page, "SET_ORDERING_MODE");
  });
});

test("a damaged file is refused in words, here and on the server", { skip }, async () => {
  const damaged = readFileSync(small).subarray(0, 3_000);
  const refused = [/status of 4\d\d/];
  for (const way of [/Read in this browser/, /Upload to this server/]) {
    await withPage(browser, `${server.url}/`, { expected: refused }, async (page) => {
      await page.getByRole("radio", { name: way }).check();
      await drop(page, "#drop", "cut.neff", damaged);
      const banner = page.locator("#problem .banner.err");
      await banner.waitFor();
      const text = await banner.innerText();
      assert.match(text, /[a-z]+\.[a-z-]+$/, `a stable code ends the text: ${text}`);
      assert.ok(text.length > 40, "a sentence, not a code alone");
      assert.equal(new URL(page.url()).pathname, "/");
    });
  }
});

test("an address that cannot be right says so", { skip }, async () => {
  const refused = [/status of 404/];
  await withPage(browser, `${server.url}${view}/code?e=PE&slot=9999`, { expected: refused }, async (page) => {
    assert.match(await page.locator("main").innerText(), /9,?999/);
  });
  // In a page that is open already, the rest of the address is used.
  await withPage(browser, `${server.url}${view}/code?e=PE&slot=64`, {}, async (page) => {
    await settled(page, "LDWEIGHTS");
    await page.evaluate(() => {
      history.pushState(null, "", location.pathname + "?v=1&e=SP&slot=9999&cores=all");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    const banner = page.locator(".banners .banner");
    await banner.waitFor();
    assert.match(await banner.innerText(), /SP has 56 slots.*no slot 9999/s);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await banner.waitFor({ state: "hidden" });
  });
});

for (const [name, context] of [
  ["dark", { colorScheme: "dark" }],
  ["light", { colorScheme: "light" }],
  ["narrow", { viewport: { width: 800, height: 900 } }],
  ["phone", { viewport: { width: 390, height: 800 } }],
]) {
  test(`no serious accessibility finding: ${name}`, { skip }, async () => {
    const address = `${server.url}${view}/code?e=PE&slot=64&bytes=1`;
    await withPage(browser, address, { context }, async (page) => {
      await page.locator(".xp .xi").first().waitFor();
      await page.waitForTimeout(300);
      assert.deepEqual(await accessibilityProblems(page), []);
      // The breadcrumb has room for the place, and cuts nothing but names.
      const crumb = await page.evaluate(() => {
        const crumb = document.querySelector(".crumb");
        const last = crumb.lastElementChild;
        return [crumb.scrollWidth <= crumb.clientWidth, last.scrollWidth <= last.clientWidth, last.textContent];
      });
      assert.deepEqual(crumb, [true, true, "slot 64"]);
      await screenshot(page, `code-${name}`);
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Commands" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  });
}

test("two pages with different files do not disturb each other", { skip }, async () => {
  const first = await openPage(browser, `${server.url}${view}/code?e=PE&slot=64`);
  const second = await openPage(browser, `${server.url}${view}/code?e=SP&slot=45`);
  await settled(first.page, "LDWEIGHTS");
  await second.page.locator(".vr.sel").waitFor();
  assert.equal(place(first.page).e, "PE");
  assert.equal(place(second.page).e, "SP");
  await first.close();
  await second.close();
});
