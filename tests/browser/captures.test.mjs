// A person opens an executable together with the profile of a run, and compares what the device
// had with what is built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, choose, drop, openBrowser, screenshot, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "functions.neff", bytes: readFileSync(fixture("functions")) };
const other = { name: "other.neff", bytes: readFileSync(fixture("two-subgraphs")) };

let server;
let browser;
let ntff;

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-pair-"));
  const file = join(folder, "run.ntff");
  const maker = join(dirname(process.env.NEFFSCOPE), "make-capture");
  execFileSync(maker, [fixture("functions"), "cayman-r2.27", file]);
  ntff = { name: "run.ntff", bytes: readFileSync(file) };
  rmSync(folder, { recursive: true });
  server = await startServer();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const image = (page) => page.getByRole("group", { name: "Source of the image" });
const agreements = (page) => page.locator(".strips .agr").allTextContents();

async function captured(page) {
  await image(page).waitFor();
  assert.equal(await image(page).getByRole("button", { name: "Captured" }).getAttribute("aria-pressed"), "true");
  await page.locator(".stat", { hasText: "capture run.ntff · runtime 2.27.23" }).waitFor();
  assert.deepEqual(await agreements(page), ["✓ 82 / 82 same", "✓ 70 / 70 same", "✓ 114 / 114 same", "✓ 76 / 76 same", "✓ 58 / 58 same"]);
}

test("both files at once, in this browser alone", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => request.url().includes("/api/") && sent.push(request.url()));
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [ntff, neff]);
    await captured(page);
    assert.equal(new URL(page.url()).pathname, "/local/regions");

    // The built image, by a button and by a key; the address says which, and Back returns.
    await image(page).getByRole("button", { name: "Built" }).click();
    await page.waitForURL(/image=modelled/);
    await page.locator(".legend .badge").waitFor({ state: "detached" });
    await page.goBack();
    await page.locator(".legend .badge", { hasText: "region names" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(sent, []);
  });
});

test("both files at once, on the server: one session with an address", async () => {
  let address;
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [neff, ntff]);
    await page.waitForURL(/\/f\/[a-z2-7]+\/regions/);
    await captured(page);
    await page.waitForURL(/slot=62\b/);
    address = page.url();
  });
  await withPage(browser, address, {}, captured);
});

test("a profile is added to the file that is open, and the place stays", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [neff]);
    await page.waitForURL(/\/f\/[a-z2-7]+\/regions/);
    await page.getByRole("tab", { name: "POOL" }).click();
    await page.waitForURL(/e=POOL&slot=82\b/);
    await choose(page, () => page.getByRole("button", { name: "Add capture" }).click(), ntff);
    await captured(page);
    await page.waitForURL(/e=POOL&slot=82\b/);
  });
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [neff]);
    await page.waitForURL(/slot=62\b/);
    await drop(page, "#main", [ntff]);
    await captured(page);
  });
});

test("files that do not belong together are told of", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [other, ntff]);
    const banner = page.locator(".banners .banner", { hasText: "run.ntff is no capture of other.neff" });
    await banner.waitFor();
    assert.match(await banner.innerText(), /pair\.none/);
    assert.equal(await image(page).isVisible(), false);
  });
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [ntff]);
    const banner = page.locator("#problem .banner.err");
    await banner.waitFor();
    assert.match(await banner.innerText(), /read together with an executable.*file\.no-neff/s);
  });
});

test("a capture that is open alone says what is missing, and its NEFF is added to it", async () => {
  const alone = async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [ntff]);
    await page.waitForURL(/\/f\/[a-z2-7]+\/regions/);
    const gap = page.locator(".reg .gap");
    await gap.locator("b", { hasText: "run.ntff is open alone" }).waitFor();
    return gap;
  };
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const gap = await alone(page);
    assert.match(await gap.innerText(), /device images PE 82 slots, ACT 70 slots, POOL 114 slots, DVE 76 slots, SP 58 slots/);
    assert.match(await gap.innerText(), /With the NEFF beside it, Regions shows/);
    for (const [key, view] of [["2", "code"], ["5", "collectives"], ["7", "structs"], ["8", "run"]]) {
      await page.keyboard.press(key);
      await page.waitForURL(new RegExp(`/${view}\\b`));
      await gap.locator("p", { hasText: "With the NEFF beside it" }).waitFor();
    }
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "lone");
    // Timeline shows what the capture has by itself.
    await page.keyboard.press("6");
    await page.waitForURL(/\/timeline\b/);
    await page.keyboard.press("1");
    await page.waitForURL(/\/regions\b/);
    // A NEFF that is dropped on the page is put beside the capture, not in its place.
    const before = page.url();
    await drop(page, "#main", [neff]);
    await captured(page);
    assert.notEqual(new URL(page.url()).pathname, new URL(before).pathname);
  });
  // The same by the button; a NEFF of another run is added and said to be none of this capture.
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const gap = await alone(page);
    await choose(page, () => gap.getByRole("button", { name: "Add NEFF" }).click(), other);
    const banner = page.locator(".banners .banner", { hasText: "run.ntff is no capture of other.neff" });
    await banner.waitFor();
    await page.locator(".striprow").first().waitFor();
  });
});

test("captured and built records side by side", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [neff, ntff]);
    await captured(page);
    // Compared with what another profile builds.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("profile modelled-cayman");
    await page.keyboard.press("Enter");
    await page.locator(".strips .agr.part").first().waitFor();
    const partial = await agreements(page);
    // Another preamble moves the records of MAIN; they are counted aligned.
    assert.match(partial[0], /^≠ \d+ \/ 82 aligned$/);

    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/compare=1/);
    const grid = page.getByRole("grid", { name: "Captured and built records" });
    await grid.waitFor();
    await page.locator(".cr .mn").first().waitFor();
    const said = (text) => page.waitForFunction((text) => document.querySelector("#live").textContent.includes(text), text);
    await page.keyboard.press("n");
    await said("Difference ");
    await page.keyboard.press("d");
    await page.locator(".cr.fold").first().waitFor();
    await page.waitForURL(/compare=diff/);

    // A record that both have, with other bytes: its slot is selected as in Code.
    const changed = page.locator(".cr.chd").first();
    await changed.waitFor();
    const slot = await changed.locator(".sl").first().innerText();
    await changed.click();
    await page.waitForURL(new RegExp(`slot=${slot}\\b`));
    assert.match(await page.locator(".cmpp").innerText(), /bytes? differs?: [0-9a-f]{2}/);
    assert.ok((await page.locator(".cmpp .cmp u").count()) >= 2);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "compare");
    await page.keyboard.press("c");
    await grid.waitFor({ state: "hidden" });
    await page.locator(".vr.sel").waitFor();
  });
});
