// Files that cannot be opened keep no good file out, and each is named with its reason.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { choose, drop, openBrowser, screenshot, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "good.neff", bytes: readFileSync(fixture("functions")) };
const empty = { name: "t0.ntff", bytes: Buffer.alloc(0) };
const log = { name: "run.txt", bytes: Buffer.from("2024-May-01 ERROR NRT: something went wrong\n") };
const program = { name: "true", bytes: Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01"), Buffer.alloc(300, 0xee)]) };
const binary = { name: "bin.toml", bytes: Buffer.from([0x66, 0xff, 0xfe, 0]) };
const wrong = (name) => ({ name, bytes: Buffer.from('name = "x"\ngeneration = "tonga"\n') });

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

const banner = (page, text) => page.locator(".banners .banner", { hasText: text });

/** Each bad file has a banner that names it and says what to do. */
async function named(page) {
  await banner(page, /t0\.ntff was not opened: the file ends at byte 0x0.*copy it again/).waitFor();
  await banner(page, /run\.txt was not opened: this is text.*log box/).waitFor();
  await banner(page, /true was not opened: this is neither a NEFF nor an NTFF/).waitFor();
  await banner(page, /bin\.toml was not opened: .*byte 0x1.*UTF-8/).waitFor();
}

test("read in this browser, the good file opens and the bad ones are named", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [empty, program, binary, log, neff]);
    await page.waitForURL(/\/local\/regions/);
    await page.locator('[role="row"][data-row]').first().waitFor();
    await named(page);
    assert.equal(await page.locator(".banners .banner").count(), 4);
    await screenshot(page, "refused");
    await banner(page, "bin.toml").getByRole("button", { name: "Dismiss" }).click();
    await banner(page, "bin.toml").waitFor({ state: "detached" });
    assert.equal(await page.locator(".banners .banner").count(), 3);
  });
});

test("sent to the server, the good file opens and the bad ones are named", async () => {
  const expected = [/Failed to load resource/];
  await withPage(browser, `${server.url}/`, { expected }, async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [empty, program, binary, log, neff]);
    await page.waitForURL(/\/f\/[a-z2-7]{26}\/regions/);
    await page.locator('[role="row"][data-row]').first().waitFor();
    await named(page);

    // A bad file that is added keeps the page and its place.
    await page.waitForURL(/slot=\d/);
    const address = page.url();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("add the capture");
    await page.getByRole("option", { name: /Add the capture/ }).and(page.locator('[aria-selected="true"]')).waitFor();
    await choose(page, () => page.keyboard.press("Enter"), { ...empty, name: "t1.ntff" });
    await banner(page, /t1\.ntff was not opened/).waitFor();
    assert.equal(page.url(), address);

    // Parts of an address that name nothing are said, and the page opens without them.
    await page.goto(`${address.split("?")[0]}?profile=nope&e=QQ&s=sg99&core=99`);
    const told = banner(page, /address\.part/);
    for (const part of [/profile=nope.*the profiles are/, /e=QQ.*PE ACT POOL DVE SP/, /s=sg99.*sg00/, /core=99.*up to core 7/]) {
      await told.filter({ hasText: part }).waitFor();
    }
    await page.locator('[role="row"][data-row]').first().waitFor();
    await page.waitForURL(/s=sg00&e=PE&slot=\d/);

    // A place that is not there, in the go-to box.
    await page.keyboard.press("g");
    await page.locator("#goto-list").waitFor({ state: "attached" });
    await page.keyboard.type("ip 99999");
    await page.keyboard.press("Enter");
    await banner(page, /NEFF IP 99999 is not in the stream of PE, which has the IPs 1 to .*goto\.none/).waitFor();
  });
});

test("bad files alone are all named on the start page", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [empty, log]);
    const banners = page.locator("#problem .banner.err");
    await banners.nth(1).waitFor();
    assert.match((await banners.allInnerTexts()).join("\n"), /run\.txt was not opened.*t0\.ntff was not opened/s);
    await screenshot(page, "refused-start");
  });
});

test("all profiles with a mistake are told", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [wrong("one.toml"), wrong("two.toml"), wrong("three.toml"), neff]);
    await banner(page, /profile\.invalid/).getByRole("button", { name: "and 2 more errors" }).click();
    const list = page.getByRole("dialog");
    for (const name of ["one.toml", "two.toml", "three.toml"]) await list.getByText(name).first().waitFor();
  });
});

test("the command line warns of a bad file and goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-test-"));
  try {
    const path = join(folder, "bin.toml");
    writeFileSync(path, binary.bytes);
    const missing = join(folder, "missing.neff");
    const both = await startServer({ files: [path, fixture("functions"), missing] });
    const start = await (await fetch(both.url)).text();
    await both.stop();
    assert.match(start, /input\.neff/);
    assert.match(both.log(), /warning: .*bin\.toml.*byte 0x1/);
    assert.match(both.log(), /warning: .*missing\.neff.*file\.read/);
    await assert.rejects(startServer({ files: [path] }), /ended \(3\).*bin\.toml/s);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
