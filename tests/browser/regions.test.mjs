// A person looks at the five images: near and far, patch by patch, before and after.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { root, startServer } from "./support/server.mjs";

const real = process.env.NEFFSCOPE_REAL ?? join(root, "../shared/real");
const small = join(real, "matmul_small/matmul_small.neff");
const skip = existsSync(small) ? false : `${small} is not there`;
const functions = join(root, "fixtures/cases/functions/input.neff");

let browser;
const servers = [];

async function open(file) {
  const server = await startServer({ files: [file] });
  servers.push(server);
  while (!server.log().includes("open http")) await new Promise((next) => setImmediate(next));
  const view = /open http:\/\/[^/]+(\/f\/[a-z2-7]+)\//.exec(server.log())?.[1];
  return `${server.url}${view}`;
}

let ofFunctions;
let ofTwo;
let ofSmall;

before(async () => {
  browser = await openBrowser();
  ofFunctions = await open(functions);
  ofTwo = await open(join(root, "fixtures/cases/two-subgraphs/input.neff"));
  if (!skip) ofSmall = await open(small);
});

after(async () => {
  await browser?.close();
  for (const server of servers) await server.stop();
});

const settled = (page, mnemonic) => page.locator(".det:not(.mdet, .tdet) .idh", { hasText: mnemonic }).waitFor();
const overview = (page) => page.getByRole("scrollbar", { name: "Window of the strips" });
const names = (page) => page.locator(".strips text.nm");

/** The box of an element once it has been drawn at one place twice. */
async function stableBox(locator) {
  let last = null;
  for (;;) {
    await locator.waitFor();
    const box = await locator.boundingBox();
    if (box && last && box.x === last.x && box.y === last.y) return box;
    last = box;
  }
}

test("zoom shows single slots by name, and the overview shows where", { skip }, async () => {
  await withPage(browser, `${ofSmall}/regions?e=PE&slot=64`, {}, async (page) => {
    await settled(page, "LDWEIGHTS");
    assert.equal(await overview(page).getAttribute("aria-valuetext"), "slots 0 to 83 of 84");
    assert.equal(await names(page).count(), 0);

    // F fits the region of the selection: MAIN has 11 slots, each wide enough for its name.
    await page.keyboard.press("f");
    await names(page).filter({ hasText: "LDWEIGH" }).first().waitFor();
    const seen = await overview(page).getAttribute("aria-valuetext");
    const [, from, to] = /^slots (\d+) to (\d+) of 84$/.exec(seen).map(Number);
    assert.ok(from <= 62 && to >= 72 && to - from < 16, seen);

    // A click on a name selects that slot: slot 66 is IP 6.
    const box = await stableBox(names(page).filter({ hasText: "LDWEIGH" }).nth(1));
    await page.mouse.click(box.x + 20, box.y + box.height / 2);
    await page.waitForURL(/slot=66\b/);

    // The wheel with Ctrl zooms out at the pointer, a drag pans, and 0 shows all again.
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, 240);
    await page.keyboard.up("Control");
    await page.waitForFunction((before) => document.querySelector(".mini").getAttribute("aria-valuetext") !== before, seen);
    const mid = await overview(page).getAttribute("aria-valuenow");
    await page.mouse.move(900, 200);
    await page.mouse.down();
    await page.mouse.move(1100, 200, { steps: 4 });
    await page.mouse.up();
    const panned = await overview(page).getAttribute("aria-valuenow");
    assert.ok(Number(panned) < Number(mid), `${panned} lies before ${mid}`);
    await overview(page).press("Home");
    assert.equal(await overview(page).getAttribute("aria-valuenow"), "0");
    await page.keyboard.press("0");
    await page.waitForFunction(() => document.querySelector(".mini").getAttribute("aria-valuetext") === "slots 0 to 83 of 84");
    // Each step is taken when the one before is drawn; a few of them bring the names.
    for (let times = 0; times < 12 && (await names(page).count()) === 0; times += 1) {
      const before = await overview(page).getAttribute("aria-valuetext");
      await page.keyboard.press("+");
      await page.waitForFunction((before) => document.querySelector(".mini").getAttribute("aria-valuetext") !== before, before);
    }
    await names(page).first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "regions-near");
  });
});

test("patches are walked in both views, around the end, and can be hidden", async () => {
  await withPage(browser, `${ofFunctions}/regions?e=POOL&slot=82`, {}, async (page) => {
    await settled(page, "WRITE");
    const said = (text) => page.waitForFunction((text) => document.querySelector("#live").textContent.includes(text), text);
    // The strips have the focus: the walk starts there.
    await page.locator(".striprow[tabindex='0']").focus();
    await page.keyboard.press("n");
    await said("Patch 2 of 8: DELETE 1 in MAIN");
    await settled(page, "PSEUDO_BRANCH_LABEL");
    await page.keyboard.press("n");
    await said("Patch 3 of 8: INSERT 2 in MAIN");
    await page.waitForURL(/slot=83\b/);
    for (const patch of [4, 5, 6, 7, 8]) {
      await page.keyboard.press("n");
      await said(`Patch ${patch} of 8`);
    }
    await page.keyboard.press("2");
    await page.waitForURL(/\/code\?/);
    await page.keyboard.press("n");
    await said("Past the last patch of POOL: at the first again. Patch 1 of 8");
    await page.locator(".toast", { hasText: "at the first again" }).waitFor();
    await page.keyboard.press("Shift+N");
    await said("Past the first patch of POOL: at the last again. Patch 8 of 8");

    // Counts of all engines, of each, and the marks themselves on and off.
    await page.keyboard.press("1");
    const legend = page.locator(".legend");
    assert.match(await legend.innerText(), /INSERT 22\s*DELETE 3\s*MODIFY 0/);
    await page.getByTitle("Patches of each engine").click();
    const pool = page.locator("#patch-table tr", { hasText: "POOL" });
    assert.match(await pool.innerText(), /POOL\s+5 106 slots\s+3 3 slots\s+0/);
    assert.ok((await page.locator(".strips g.mark").count()) > 5);
    await page.keyboard.press("o");
    await page.waitForFunction(() => document.querySelectorAll(".strips g.mark").length === 0);
    await page.waitForURL(/marks=0/);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a click on a mark shows the record before and the slots after", async () => {
  await withPage(browser, `${ofFunctions}/regions?e=PE&slot=62`, {}, async (page) => {
    await page.locator(".det .chgs").waitFor();
    // The third mark of POOL: the call of IP 3 became three slots.
    const mark = page.locator(".striprow").nth(2).locator("g.mark text", { hasText: "+2" }).first();
    const count = await stableBox(mark);
    await page.mouse.move(count.x + 4, count.y + 6);
    await page.locator(".strips .tip", { hasText: "INSERT of 2 slots in MAIN at slot 83" }).waitFor();
    await page.mouse.click(count.x + 4, count.y + 6);
    await page.waitForURL(/e=POOL&slot=83\b/);
    const change = page.locator(".det .chgs");
    const shown = page.locator(".det .chgs", { hasText: "INSERT of 2 slots" });
    await shown.filter({ hasText: "PSEUDO_FUNCTION_CALL" }).filter({ hasText: "3 slots" }).waitFor();
    const text = await change.innerText();
    assert.match(text, /Before, in the NEFF\s*1 record\s*IP 3\s*PSEUDO_FUNCTION_CALL/);
    assert.match(text, /After, in the image\s*3 slots\s*83/);
    // The record itself became the last of them; its bytes are set against the file's.
    await change.locator(".dep", { hasText: "85" }).click();
    await page.waitForURL(/slot=85\b/);
    await page.locator(".det .chgs", { hasText: /bytes differ/ }).waitFor();
    assert.ok((await change.locator(".cmp u").count()) >= 2);

    // A record rewritten in place, by one byte: the wait of IP 7 is marked as a function's.
    await page.keyboard.press("g");
    await page.keyboard.type("ip 7");
    await page.locator("#goto-list [role=option]").first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".det .chgs", { hasText: "Rewritten in place" }).filter({ hasText: "1 byte differs" }).waitFor();
    assert.match(await change.innerText(), /1 byte differs: 03/);
    assert.deepEqual(await change.locator(".cmp u").allInnerTexts(), ["00", "01"]);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "change");
  });
});

test("all subgraphs stand on one scale, whose axis stays while they scroll", async () => {
  const context = { viewport: { width: 1600, height: 560 } };
  await withPage(browser, `${ofTwo}/regions?s=sg00&e=SP&slot=0`, { context }, async (page) => {
    await page.locator(".striprow").first().waitFor();
    assert.equal(await page.locator(".striprow").count(), 5);
    await page.keyboard.press("a");
    await page.waitForFunction(() => document.querySelectorAll(".striprow").length === 10);
    await page.waitForURL(/cores=all/);
    const strips = page.locator("#strips");
    const room = await strips.evaluate((at) => at.scrollHeight - at.clientHeight);
    assert.ok(room > 40, `ten strips are higher than their pane, by ${room}`);
    // Numbers of the axis are at the top of the pane before and after, and the strips move under it.
    const ruler = page.locator(".ruler");
    const top = async (at) => (await at.boundingBox()).y;
    const [axis, strip] = [await top(ruler), await top(page.locator(".striprow").first())];
    await strips.evaluate((at) => (at.scrollTop = at.scrollHeight));
    assert.equal(await top(ruler), axis);
    assert.ok((await top(page.locator(".striprow").first())) < strip - 40);
    assert.ok((await ruler.locator("text").count()) >= 2);
    // A click right under the axis meets the row that is seen there, and no row that is covered.
    const last = page.locator(".striprow").last();
    const box = await stableBox(last.locator(".rowhit"));
    await page.mouse.click(box.x + box.width / 3, box.y + 20);
    await page.waitForURL(/s=sg01&e=SP/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("a");
    await page.waitForFunction(() => document.querySelectorAll(".striprow").length === 5);
  });
});

test("the profile says what the images were built with", async () => {
  await withPage(browser, `${ofFunctions}/regions?e=PE&slot=62`, {}, async (page) => {
    await page.locator("#profile-chip").click();
    const panel = page.getByRole("dialog", { name: "Runtime profile" });
    await panel.waitFor();
    assert.match(await panel.innerText(), /request page\s*0x/);
    await panel.locator("summary", { hasText: "Ordering mode" }).first().click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "profile");
    await panel.getByLabel("Runtime profile").selectOption("modelled-cayman");
    await page.waitForURL(/profile=modelled-cayman/);
    await panel.getByLabel("Physical core").fill("5");
    await page.keyboard.press("Tab");
    await page.waitForURL(/core=5/);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "profile-chip");
  });
});

test("pointing at a slot lights it up in the other panes", { skip }, async () => {
  await withPage(browser, `${ofSmall}/regions?e=PE&slot=64`, {}, async (page) => {
    await settled(page, "LDWEIGHTS");
    await page.locator(".srcp .sn.sel").waitFor();
    // In Code: the strip shows an outline, the source row a frame.
    await page.locator(".vr", { hasText: "MATMUL" }).first().hover();
    await page.locator(".strips .cellhov").first().waitFor({ state: "attached" });
    await page.locator(".srcp .sn.peer").first().waitFor();
    // In the strips: the rows of Code and Source.
    await page.keyboard.press("f");
    await names(page).filter({ hasText: "MATMUL" }).first().waitFor();
    const box = await stableBox(names(page).filter({ hasText: "MATMUL" }).first());
    await page.mouse.move(box.x + 10, box.y + box.height / 2);
    await page.locator(".vr.peer", { hasText: "MATMUL" }).first().waitFor();
    await page.locator(".srcp .sn.peer").first().waitFor();
    // In Source: the rows of Code, and the strips.
    await page.locator(".srcp .sn", { hasText: "I-87-1" }).hover();
    await page.locator(".vr.peer").first().waitFor();
    await page.locator(".strips .cellhov").first().waitFor({ state: "attached" });
  });
});
