// A person asks what fills device memory: the plan, its variables, the address map, the calculator.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, drop, openBrowser, screenshot, way, withPage } from "./support/browser.mjs";
import { writeLongNames, writeManyVariables, writeOdd } from "./support/memory.mjs";
import { fixture, startServer } from "./support/server.mjs";

let server;
let browser;
let path;

before(async () => {
  server = await startServer({ files: [fixture("memory")] });
  browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${server.url}/`);
  path = (await page.locator('a[href^="/f/"]').first().getAttribute("href")).replace(/regions$/, "memory");
  await page.close();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const verdict = (page) => page.locator(".mplan [role=status]");
const block = (page, name) => page.locator(".mpage .mb", { hasText: name }).first();
const says = (page, text) => page.waitForFunction((text) => document.querySelector("#live").textContent.includes(text), text);

test("what fills the HBM, and which variables take the pages", async () => {
  await withPage(browser, server.url + path, {}, async (page) => {
    await verdict(page).filter({ hasText: "This model fits in HBMs of 24 GiB" }).waitFor();
    await page.locator(".msec", { hasText: "1.3 GiB in 3 pages of 512 MiB on core 4" }).first().waitFor();
    // Categories have their bytes; what nothing computes is named with the reason and is no zero.
    assert.match(await page.locator(".mleg li", { hasText: "shared scratchpad" }).innerText(), /1\.50 GiB/);
    assert.match(await page.locator(".mnot").innerText(), /dma rings\s+their size depends on/);
    // A variable that crosses a page is told, with what the runtime advises.
    await page.locator(".banner", { hasText: "Private spill" }).filter({ hasText: /pages of 1(\.0)? GiB are enough/ }).waitFor();
    await block(page, "gathered").click();
    await page.waitForURL(/var=0\.sg00\.5/);
    const details = page.locator(".mdet");
    await details.locator(".dep", { hasText: "scores" }).filter({ hasText: "100 MiB, one after the other" }).waitFor();
    await details.getByRole("button", { name: "IP 7" }).first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "memory");
  });
});

test("it does not fit: what fails, and what would make it fit", async () => {
  await withPage(browser, `${server.url}${path}?hbm=1073741824`, { expected: [/status of 400/] }, async (page) => {
    await verdict(page).filter({ hasText: "does not fit in HBMs of 1 GiB" }).waitFor();
    assert.match(await verdict(page).innerText(), /short \[4 RESOURCE\].*It would fit with/s);
    await page.locator(".mleg li", { hasText: "Missing" }).waitFor();
    // A size that is none is refused with its reason; the plan stays.
    await page.locator("#memory-page").fill("-1");
    await page.locator("#memory-page").press("Enter");
    await page.locator(".toast", { hasText: "Page size: -1 is below 0" }).waitFor();
    await page.locator("#memory-page").fill("4 GiB");
    await page.locator("#memory-page").press("Enter");
    await page.locator(".banners .banner", { hasText: "memory.page-size" }).waitFor();
    assert.equal(await verdict(page).isVisible(), true);
  });
});

test("every step by key, and the address says which", async () => {
  await withPage(browser, server.url + path.replace("memory", "code"), {}, async (page) => {
    await page.locator('[role="row"][data-row]').first().waitFor();
    await page.keyboard.press("4");
    await verdict(page).waitFor();
    await page.keyboard.press("ArrowDown");
    await says(page, "agreed, 64 MiB");
    await page.keyboard.press("m");
    await page.waitForURL(/mode=contiguous/);
    await page.locator("[data-map=contiguous]").waitFor();
    await page.keyboard.press("m");
    await page.locator("[data-map=paged] + [data-map=contiguous]").waitFor();
    await page.keyboard.press("]");
    await page.getByRole("grid", { name: "Variables" }).waitFor();
    await page.waitForURL(/part=variables/);
    await page.keyboard.press("/");
    await page.keyboard.type("packed");
    await page.locator(".mlist .sub", { hasText: "1 of 14 variables" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".mlist .sub", { hasText: /^14 variables$/ }).waitFor();
    // A variable leads to its record in Structs, and Back returns.
    await page.getByRole("grid", { name: "Variables" }).focus();
    await page.keyboard.press("End");
    await says(page, "agreed");
    await page.keyboard.press("Home");
    await says(page, "SB, 32 MiB");
    await page.locator(".mdet", { hasText: "Used by" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/structs\?.*rec=mem_ref_set/);
    await page.goBack();
    await page.getByRole("grid", { name: "Variables" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("code and data are on one core, and another one is chosen for both", async () => {
  await withPage(browser, server.url + path, {}, async (page) => {
    // The profile takes core 4, whose HBM is 2: the view starts there.
    const hbm = (number) => page.locator(".msec h3", { hasText: `HBM ${number}` }).waitFor();
    await verdict(page).waitFor();
    await hbm(2);
    assert.equal(await page.locator("#memory-core").inputValue(), "");
    assert.equal(await page.locator("#memory-core option").count(), 9);
    await page.locator("#memory-core").selectOption("6");
    await page.waitForURL(/core=6/);
    await page.locator(".msec", { hasText: "3 pages of 512 MiB on core 6" }).first().waitFor();
    await hbm(3);
    assert.deepEqual(await accessibilityProblems(page), []);
    // The images of the Regions view are of the same core.
    await page.keyboard.press("1");
    await page.locator("#profile-chip").click();
    assert.equal(await page.locator("#profile-panel input").inputValue(), "6");
    await page.keyboard.press("Escape");
    await page.keyboard.press("4");
    await page.locator("#memory-core").selectOption("");
    await page.locator(".msec", { hasText: "3 pages of 512 MiB on core 4" }).first().waitFor();
    await hbm(2);
    // Another chip lacks the core, which is told.
    await page.locator("#memory-generation").selectOption("sunda");
    await page.locator(".banner", { hasText: "its images are those of core 4" }).first().waitFor();
  });
});

test("a planned address says what is there", async () => {
  const at = (address) => `${server.url}${path}?part=addresses&addr=${address}`;
  for (const [address, what] of [
    ["0x800074500000", "tensor x of sg00, which an execution may bind elsewhere"],
    ["0x800058800000", "page 2 of the scratchpad of core 4, at a byte that no variable has"],
    ["0x800500000000", "free memory of the main pool in this plan"],
    ["0x8005c0350000", "page of execution requests of sg00"],
  ]) {
    await withPage(browser, at(address), {}, async (page) => {
      await page.locator(".mwhere", { hasText: what }).waitFor();
      await page.locator(".mdet", { hasText: what }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  }
  for (const [width, theme] of [[1600, "dark"], [1600, "light"], [800, "dark"], [800, "light"]]) {
    const viewport = { width, height: 900 };
    await withPage(browser, `${at("0x8005c0350000")}&theme=${theme}`, { context: { viewport } }, async (page) => {
      await page.locator(".mwhere", { hasText: "page of execution requests" }).waitFor();
      await screenshot(page, `memory-address-${width}-${theme}`);
    });
    await withPage(browser, `${server.url}${path}?theme=${theme}`, { context: { viewport } }, async (page) => {
      await verdict(page).waitFor();
      await screenshot(page, `memory-core-${width}-${theme}`);
    });
  }
});

test("a device address is looked up from the go-to box and in the map", async () => {
  await withPage(browser, server.url + path, {}, async (page) => {
    await verdict(page).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.type("0x2802700020");
    await page.getByRole("option", { name: /event 8, HW_EXEC_QUEUE_REQUEST_LOAD/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/part=addresses&addr=0x2802700020/);
    await page.locator(".mwhere", { hasText: "core 0 › events and semaphores" }).waitFor();
    await page.locator("#memory-search").fill("TOP_SP 3");
    await page.getByRole("row", { name: /TOP_SP 3 events/ }).click();
    await page.locator(".mdet", { hasText: "TOP_SP 3" }).waitFor();
    await page.locator("#memory-search").fill("0x800027400010");
    await page.locator(".mwhere", { hasText: "gathered + 0x10" }).waitFor();
    await page.locator("#memory-generation").selectOption("sunda");
    await page.locator(".mlist .sub", { hasText: "of sunda" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("the calculator, with a file and without one", async () => {
  await withPage(browser, `${server.url}${path}?part=scratchpad`, { expected: [/status of 400/] }, async (page) => {
    const answer = page.locator(".mans");
    await answer.filter({ hasText: "Page 0, byte 0x0" }).waitFor();
    await page.getByLabel("Offset", { exact: true }).fill("500 MiB");
    await page.getByLabel("Size", { exact: true }).fill("100 MiB");
    await answer.filter({ hasText: "it crosses the end of a page" }).waitFor();
    // Contiguous mode has pages of 64 MiB; another size is taken, and told.
    await page.getByLabel("Mode", { exact: true }).selectOption("contiguous");
    await answer.filter({ hasText: "2 pages of 67108864 bytes end at 134217728" }).waitFor();
    assert.equal(await page.locator("#calc-page").inputValue(), "64 MiB");
    await page.locator("#calc-page").fill("512 MiB");
    await answer.filter({ hasText: "Page 1, byte 0x1f400000" }).waitFor();
    await answer.filter({ hasText: "memory.page-size-unused" }).waitFor();
    await page.getByLabel("Pages", { exact: true }).fill("1025");
    await answer.filter({ hasText: "memory.pages" }).waitFor();
    await page.getByLabel("Size", { exact: true }).fill("16777216 TiB");
    await answer.filter({ hasText: "Nothing is asked while Size cannot be read." }).waitFor();
    // Each field says what is expected in it.
    await page.locator("#calc-size-why", { hasText: "Expected: a number of bytes below 2^64" }).waitFor();
    await page.locator("#calc-offset").fill("-1");
    await page.locator("#calc-offset-why", { hasText: "`-1` is below 0" }).waitFor();
    assert.equal(await page.locator("#calc-offset").getAttribute("aria-invalid"), "true");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.locator("#calc-offset").fill("0");
    await page.locator("#calc-size").fill("1");
    await page.locator("#calc-pages-why", { hasText: "Expected: 0 to 1,024" }).waitFor();
    await page.locator("#calc-pages").fill("2");
    await answer.filter({ hasText: "Page 1, byte 0x0" }).waitFor();
    await answer.locator(".g-obs").first().waitFor();
    assert.equal(await page.locator(".fwhy:visible").count(), 0);
  });
  // The page without a file needs no script.
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(`${server.url}/`);
    await page.getByRole("link", { name: "scratchpad calculator" }).click();
    await page.getByLabel("Offset", { exact: true }).fill("0x20000010");
    await page.getByRole("button", { name: "Find the page" }).click();
    await page.getByText("Page 1, byte 0x10 of it (paged).").waitFor();
    await page.getByLabel("Page size", { exact: true }).fill("4096");
    await page.getByRole("button", { name: "Find the page" }).click();
    await page.getByText("Pages of 4096 bytes are accepted; documented are multiples").waitFor();
    await page.locator(".mcalcp .banner .g-obs").waitFor();
    await page.getByLabel("Offset", { exact: true }).fill("-5");
    await page.getByLabel("Size", { exact: true }).fill("tea");
    await page.getByRole("button", { name: "Find the page" }).click();
    await page.locator("#offset-why", { hasText: "is below 0. Expected: a number of bytes" }).waitFor();
    await page.locator("#size-why", { hasText: "is no number below 2^64" }).waitFor();
  } finally {
    await context.close();
  }
});

test("bars of the page map have their names, a card, and what shares their bytes", async () => {
  await withPage(browser, `${server.url}${path}?mode=both`, {}, async (page) => {
    await verdict(page).waitFor();
    const map = page.locator("[data-map=paged]");
    // Index, size and place of a page, what is used of it, and who holds it.
    const row = map.locator(".mrow", { hasText: "page 1" });
    assert.match(await row.innerText(), /page 1\s+512 MiB\s+0x2000.?0000/);
    assert.match(await row.innerText(), /280 MiB\s+55.%\s+1 reference/);
    await row.locator(".mshare.apart").waitFor();
    await map.locator(".mkey", { hasText: "same bytes, used one after the other" }).waitFor();
    await map.locator(".mkey", { hasText: "private spill" }).filter({ hasText: "padding" }).waitFor();
    await map.locator(".mpad .mnl", { hasText: "448 MiB of padding" }).waitFor();
    // A name that has no room for all of it has dots; every name is told in full.
    const shown = await page.locator(".mb .mnl").evaluateAll((all) => all.map((line) => {
      const parts = [...line.querySelectorAll(".mn0, .mn1, .mn2")];
      const whole = parts.every((part) => part.offsetWidth > 0 && part.scrollWidth <= part.clientWidth);
      const dots = parts.some((part) => part.scrollWidth > part.clientWidth || getComputedStyle(part, "::after").content.includes("…"));
      return { name: parts.map((part) => part.textContent).join(""), none: line.offsetWidth === 0, whole, dots };
    }));
    assert.ok(shown.some(({ name, whole }) => name === "scores" && whole));
    assert.ok(shown.some(({ name, dots }) => name === "agreed" && dots));
    assert.deepEqual(shown.filter(({ none, whole, dots }) => !none && !whole && !dots), []);
    // The card, at a bar of either map.
    await map.locator("[data-var='0.sg00.5']").hover();
    const card = page.locator(".mtip");
    await card.filter({ hasText: "page 1 + 0x6400000" }).filter({ hasText: "100 MiB of scores, one after the other" }).waitFor();
    await page.locator("[data-map=contiguous] [data-var='0.sg00.6']").first().hover();
    await card.filter({ hasText: "packed" }).filter({ hasText: "in the region" }).waitFor();
    assert.equal(await page.locator("[data-var='0.sg00.6'].hot").count() > 1, true, "all its bars light up");
    await page.locator(".mmain h2").hover();
    await card.waitFor({ state: "hidden" });
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("very long names and very many variables keep their frame", async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-memory-"));
  const long = writeLongNames(join(folder, "long.neff"));
  const lone = await startServer({ files: [long] });
  try {
    for (const width of [1600, 800, 390]) {
      const context = { viewport: { width, height: 900 } };
      await withPage(browser, `${lone.url}/`, { context }, async (page) => {
        const link = await page.locator('a[href^="/f/"]').first().getAttribute("href");
        await page.goto(lone.url + link.replace(/regions$/, "memory"));
        await verdict(page).waitFor();
        // The end of a name stays where its bar has room for a part of it.
        const end = page.locator(".mb .mn2", { hasText: "_07" }).first();
        await end.waitFor({ state: width === 1600 ? "visible" : "attached" });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        await page.locator(".mb[data-var='0.sg00.2']").hover();
        const box = await page.locator(".mtip").boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${JSON.stringify(box)} at ${width}`);
        assert.deepEqual(await accessibilityProblems(page), []);
        await screenshot(page, `memory-long-${width}`);
      });
    }
  } finally {
    await lone.stop();
    rmSync(folder, { recursive: true });
  }
});

test("a narrow window has no details until they are asked for", async () => {
  const context = { viewport: { width: 800, height: 900 } };
  await withPage(browser, `${server.url}${path}?var=0.sg00.5`, { context }, async (page) => {
    await verdict(page).waitFor();
    const details = page.locator(".mdet");
    assert.equal(await details.isVisible(), false);
    const button = page.getByRole("button", { name: "Details", exact: true });
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("i");
    await details.filter({ hasText: "gathered" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.closest(".mdet") !== null), true);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 800);
    assert.deepEqual(await accessibilityProblems(page), []);
    await button.click();
    await details.waitFor({ state: "hidden" });
    // A wide window has them, as it was left.
    await page.setViewportSize({ width: 1600, height: 900 });
    await details.filter({ hasText: "gathered" }).waitFor();
    assert.equal(await button.isVisible(), false);
    await page.setViewportSize({ width: 1000, height: 900 });
    await details.waitFor({ state: "hidden" });
  });
  // The same in every view that has details beside its panes.
  for (const width of [800, 390]) {
    for (const view of ["regions", "code", "timeline"]) {
      const context = { viewport: { width, height: 900 } };
      await withPage(browser, `${server.url}${path.replace("memory", view)}`, { context }, async (page) => {
        const button = page.getByRole("button", { name: "Details", exact: true }).and(page.locator(":visible"));
        await button.first().waitFor();
        const details = page.locator(view === "timeline" ? ".tdet" : ".det:not(.mdet, .tdet)");
        assert.equal(await details.isVisible(), false, `${view} at ${width}`);
        await button.first().click();
        await details.waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        assert.deepEqual(await accessibilityProblems(page), []);
        await page.keyboard.press("i");
        await details.waitFor({ state: "hidden" });
      });
    }
  }
});

test("a profile alone shows what was measured", async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-memory-"));
  const file = join(folder, "run.ntff");
  execFileSync(join(dirname(process.env.NEFFSCOPE), "make-capture"), [fixture("memory"), "cayman-r2.27", file]);
  const alone = await startServer({ files: [file] });
  try {
    // The page asks for regions before it knows that there is no program.
    await withPage(browser, `${alone.url}/`, { expected: [/status of 404/] }, async (page) => {
      const link = await page.locator('a[href^="/f/"]').first().getAttribute("href");
      await page.goto(alone.url + link.replace(/regions$/, "memory"));
      await page.locator(".mplan", { hasText: "Only a profile is open." }).waitFor();
      await page.locator(".mcap h3", { hasText: "sg00" }).waitFor();
      await page.locator(".mcap .badge", { hasText: "file" }).first().waitFor();
      // What needs a program is not offered; addresses and the calculator need none.
      assert.equal(await page.getByRole("group", { name: "Scratchpad mode" }).isVisible(), false);
      await page.getByRole("button", { name: "Calculator" }).click();
      await page.locator(".mans", { hasText: "Page 0, byte 0x0" }).waitFor();
      await page.getByRole("button", { name: "Addresses" }).click();
      await page.locator(".mlist .sub", { hasText: "of cayman" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  } finally {
    await alone.stop();
    rmSync(folder, { recursive: true });
  }
});

test("several executables dropped here are loaded one after the other", async () => {
  const dropped = ["memory", "two-subgraphs"].map((name) => ({ name: `${name}.neff`, bytes: readFileSync(fixture(name)) }));
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => request.url().includes("/api/") && sent.push(request.url()));
    await way(page, /Read in this browser/);
    await drop(page, "#drop", dropped);
    await page.waitForURL(/\/local\/regions/);
    await page.locator("html[data-ready=yes]").waitFor();
    await page.keyboard.press("4");
    // The constants of the second one are no .npy file, so it does not load; its need is shown beside the first one's.
    await verdict(page).filter({ hasText: "2 models do not all load" }).filter({ hasText: "two-subgraphs.neff: no `.npy` file" }).waitFor();
    await page.locator(".mkey", { hasText: "memory.neff sg00" }).filter({ hasText: "two-subgraphs.neff sg01" }).waitFor();
    assert.match(await page.locator(".mside .refs").first().innerText(), /2 references/);
    await page.keyboard.press("]");
    await page.locator(".mlist .sub", { hasText: "variables" }).waitFor();
    await page.locator("#memory-search").fill("tmp_SpillSave0");
    await page.getByRole("row", { name: /tmp_SpillSave0/ }).first().click();
    await page.locator(".mdet", { hasText: "two-subgraphs.neff" }).waitFor();
    assert.deepEqual(sent, []);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a file that a loader refuses says so, and shows what is known", async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-memory-"));
  const odd = await startServer({ files: ["no-output", "negative"].map((name) => writeOdd(folder, name)) });
  const view = async (page, name) => {
    await page.goto(`${odd.url}/`);
    const link = await page.locator('a[href^="/f/"]', { hasText: name }).first().getAttribute("href");
    await page.goto(odd.url + link.replace(/regions$/, "memory"));
  };
  try {
    await withPage(browser, `${odd.url}/`, {}, async (page) => {
      await view(page, "no-output.neff");
      await verdict(page).filter({ hasText: "a loader stops before memory is counted" }).waitFor();
      assert.match(await verdict(page).innerText(), /No variable is an output: “no Outputs”.*Memory alone: it fits in HBMs of 24 GiB/s);
      await page.locator("[data-map=paged]", { hasText: "1 MiB in 1 page" }).waitFor();
      await view(page, "negative.neff");
      await verdict(page).filter({ hasText: "It is not known whether it fits" }).waitFor();
      assert.match(await verdict(page).innerText(), /`v` of sg00 has a size that is no number/);
      await page.locator("[data-map=paged]", { hasText: "No page can be shown for 1 virtual variable" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  } finally {
    await odd.stop();
    rmSync(folder, { recursive: true });
  }
});

test("a logical core of one core stays paged, and an HBM of any size has few marks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-memory-"));
  const many = writeManyVariables(join(folder, "many.neff"), 9_000);
  const lone = await startServer({ files: [many] });
  try {
    await withPage(browser, `${lone.url}/`, {}, async (page) => {
      const link = await page.locator('a[href^="/f/"]').first().getAttribute("href");
      const at = lone.url + link.replace(/regions$/, "memory");
      await page.goto(`${at}?mode=both&hbm=9223372036854775808`);
      await verdict(page).filter({ hasText: "fits in HBMs of 8 EiB" }).waitFor();
      await page.locator(".banner", { hasText: "One map." }).waitFor();
      assert.equal(await page.locator("[data-map]").count(), 1);
      assert.equal(await page.locator(".mhb text.tk").count(), 5);
      const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < 6_000, `${nodes} nodes`);
      // From both to paged, then to contiguous, which the runtime does not give.
      await page.keyboard.press("m");
      await page.locator(".banner", { hasText: "One map." }).waitFor({ state: "detached" });
      await page.keyboard.press("m");
      await page.locator(".banner", { hasText: "disabled on LNC 1" }).waitFor();
      // The last variable, although the first 4,096 are there at once.
      await page.keyboard.press("]");
      await page.getByRole("grid", { name: "Variables" }).focus();
      await page.keyboard.press("End");
      await page.locator(".mdet", { hasText: "var_id 9001" }).waitFor();
      await page.locator(".mvr.cur", { hasText: "9001" }).waitFor();
    });
  } finally {
    await lone.stop();
    rmSync(folder, { recursive: true });
  }
});

test("parts of the address that are no sizes are told, and the plan stays", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    const bad = await page.goto(`${server.url}${path}?page=-1&hbm=tea`);
    assert.equal(bad.status(), 200);
    await page.getByText("`page=-1` in the address is no number of bytes below 2^64 and is not used").waitFor();
    await page.getByText("Fits in HBMs of 24 GiB").waitFor();
    await page.goto(`${server.url}${path}?page=0`);
    await page.getByText("Invalid scratchpad page size 0 bytes").waitFor();
    await page.getByRole("link", { name: "Plan with the default settings" }).click();
    await page.getByText("Fits in HBMs of 24 GiB").waitFor();
    const twice = await page.goto(`${server.url}/scratchpad?pages=1&pages=2`);
    assert.equal(twice.status(), 400);
    await page.getByRole("link", { name: "The empty calculator" }).click();
    await page.getByRole("button", { name: "Find the page" }).waitFor();
    await page.goto(`${server.url}${path.replace(/memory$/, "tea")}`);
    await page.getByRole("link", { name: "The first view" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  } finally {
    await context.close();
  }
  // With script the plan comes without what could not be read.
  await withPage(browser, `${server.url}${path}?page=-1`, {}, async (page) => {
    await verdict(page).filter({ hasText: "This model fits in HBMs of 24 GiB" }).waitFor();
  });
});
