// A person builds the images with a runtime profile of their own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, choose, drop, openBrowser, screenshot, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "functions.neff", bytes: readFileSync(fixture("functions")) };

// One NOP before the program on every engine, two on PE, and the reset branch after it.
const text = `name = "mine"
generation = "cayman"
provenance = "modelled"
about = "A test."
symbols = []
[inputs]
core = "3"
request_page = 0x10
dve_table = [1, 2]
act_table = [3, 4]
rings = 0x100
queue_step = 0x10
ring_step = 1
[trigger]
io = "NOP"
data = "NOP"
[[preamble]]
id = "start"
title = "Start of mine"
text = "Starts."
program_start = true
records = ["NOP"]
PE = ["NOP", "NOP"]
[[postamble]]
id = "back"
title = "Back"
text = "Goes back."
records = ["BR(@start)"]
`;
const mine = { name: "own profile.toml", bytes: Buffer.from(text) };
const broken = { name: "broken.toml", bytes: Buffer.from(text.replace('"cayman"', '"tonga"')) };

let server;
let browser;

before(async () => {
  server = await startServer();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const chip = (page) => page.locator("#profile-chip");

/** The images are those of the own profile: its name, its core and its steps are shown. */
async function built(page) {
  await chip(page).filter({ hasText: "mine" }).waitFor();
  await chip(page).click();
  const panel = page.getByRole("dialog", { name: "Runtime profile" });
  await panel.getByText("Start of mine").waitFor();
  assert.match(await panel.innerText(), /configured/);
  assert.equal(await panel.getByRole("spinbutton", { name: "Physical core" }).getAttribute("placeholder"), "3");
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "own-profile");
  await page.keyboard.press("Escape");
}

test("an executable and a profile at once, in this browser alone", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => request.url().includes("/api/") && sent.push(request.url()));
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [mine, neff]);
    await built(page);
    assert.deepEqual(sent, []);
  });
});

test("a profile is added to an open file, from its panel and from the palette", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [neff]);
    await page.waitForURL(/\/f\/[a-z2-7]+\/regions.*slot=62\b/);
    await chip(page).click();
    await choose(page, () => page.getByRole("button", { name: "Add own" }).click(), mine);
    await page.waitForURL(/profile=own/);
    await built(page);
    // The place is kept by its IP: the stream now begins after two NOPs.
    await page.waitForURL(/slot=2\b/);
    const address = page.url();
    await page.reload();
    await built(page);
    // A profile with a mistake leaves the default in place and says where it is wrong.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("add a runtime profile");
    await page.getByRole("option", { name: "Add a runtime profile" }).and(page.locator('[aria-selected="true"]')).waitFor();
    await choose(page, () => page.keyboard.press("Enter"), broken);
    await page.waitForURL((url) => url.href !== address && url.search.includes("broken"));
    await chip(page).filter({ hasText: "cayman-r2.27" }).waitFor();
    const banner = page.locator(".banners .banner", { hasText: "profile.invalid" });
    await banner.waitFor();
    assert.match(await banner.innerText(), /line 2, column 14.*tonga.*sunda cayman mariana/s);
  });
});

test("a profile without an executable says what it needs", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [mine]);
    const banner = page.locator("#problem .banner.err");
    await banner.waitFor();
    assert.match(await banner.innerText(), /runtime profile and is read together with an executable.*file\.no-neff/s);
  });
});
