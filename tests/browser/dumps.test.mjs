// A person looks at the memory of a TOP_SP's firmware beside an executable.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, drop, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "sg00.neff", bytes: readFileSync(fixture("sg00")) };

// A context of cayman: device at 0x4250, the operation that runs at 0x4280.
const bytes = Buffer.alloc(0x44e8);
bytes.writeBigUInt64LE(0x8280000004n, 0x4250 + 24);
bytes.writeUInt32LE(1024, 0x4250 + 32);
bytes[0x4250 + 44] = 0x13;
Buffer.from("010003000f000000", "hex").copy(bytes, 0x4280);
bytes.writeBigUInt64LE(0x400000000n, 0x3448 + 2192);
bytes.writeUInt32LE(3, 0x3448 + 3584);
bytes[140] = 33;
const dump = { name: "top sp.bin", bytes };

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

for (const [title, way] of [
  ["in this browser alone", /Read in this browser/],
  ["on the server", /Upload to this server/],
]) {
  test(`structs and bytes of a dump, ${title}`, async () => {
    await withPage(browser, `${server.url}/`, {}, async (page) => {
      await page.getByRole("radio", { name: way }).check();
      await drop(page, "#drop", [dump, neff]);
      await page.waitForURL(/slot=/);
      await page.keyboard.press("7");
      await page.getByText("Firmware memory").waitFor();
      await page.getByPlaceholder("Search names and values").fill("tsync");
      await page.locator("[role=treeitem]", { hasText: "dump.configs.dev.tsync" }).click();
      await page.locator("[data-field]", { hasText: "timestamp_tpb_val" }).filter({ hasText: "1,024" }).waitFor();
      await page.getByText("layout of cayman [inferred]").waitFor();
      await page.getByText("dump.channel-id").waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      await screenshot(page, "dump-structs");
      // The bytes of the field, with the structs of the page.
      await page.locator("[data-field]", { hasText: "timestamp_tpb_val" }).click();
      await page.getByRole("button", { name: /bytes/i }).first().waitFor();
      await page.keyboard.press("3");
      await page.waitForURL(/bytes\?.*of=dump.*at=0x4270/);
      await page.locator(".byt .ft [data-field]", { hasText: "timestamp_tpb_val" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
      await screenshot(page, "dump-bytes");
    });
  });
}

test("a dump that is open alone: its views, its place in the breadcrumb, its address", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await page.getByRole("radio", { name: /Upload to this server/ }).check();
    await drop(page, "#drop", [dump]);
    // What it has comes first.
    await page.waitForURL(/\/structs/);
    await page.getByRole("link", { name: "configs.dev.tsync" }).waitFor();
    const crumb = page.locator("#crumb");
    // Each view is a page of the server, by key as by link; a key counts once its program listens.
    const press = async (key) => {
      await page.locator("html[data-ready=yes]").waitFor();
      await page.keyboard.press(key);
    };
    await press("1");
    await page.waitForURL(/\/regions/);
    await page.getByText("is open alone").waitFor();
    await press("7");
    await page.waitForURL(/\/structs/);
    await page.getByRole("link", { name: "configs.dev.tsync" }).click();
    await page.waitForURL(/structs\?.*rec=configs\.dev\.tsync/);
    await page.getByRole("heading", { name: "configs.dev.tsync" }).waitFor();
    // The server's breadcrumb begins at its start page; the program's has buttons.
    await crumb.locator("button", { hasText: "configs.dev.tsync" }).waitFor();
    assert.deepEqual((await crumb.innerText()).split(/\s*\n\s*/), ["top sp.bin", "configs.dev.tsync"]);
    assert.deepEqual(await accessibilityProblems(page), []);
    await press("3");
    await page.waitForURL(/\/bytes/);
    await page.getByText("Context, layout of cayman").waitFor();
    await press("5");
    await page.waitForURL(/\/collectives/);
    await page.getByText("is open alone").waitFor();
    await press("7");
    await page.waitForURL(/\/structs/);
    await page.getByRole("heading", { name: "configs.algo", exact: true }).waitFor();
    const id = page.url().match(/\/f\/([a-z0-9]+)\//)[1];
    await page.goto(`${server.url}/f/${id}`);
    await page.waitForURL(/\/structs/);
  });
});
