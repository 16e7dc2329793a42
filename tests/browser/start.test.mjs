// The start page: it loads from a server without files, and nothing goes wrong in it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";
import { firstLoad } from "./support/traffic.mjs";

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

test("the start page loads", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    assert.match(await page.title(), /neffscope/i);
    await screenshot(page, "start");
  });
});

test("the start page has no serious accessibility finding", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("the first load is small", async () => {
  const { requests, bytes, list } = await firstLoad(browser, `${server.url}/`);
  const shown = list.map((one) => `${one.bytes} ${one.path}`).join("\n");
  assert.ok(requests <= 12, `${requests} requests, expected at most 12\n${shown}`);
  assert.ok(bytes <= 700_000, `${bytes} bytes, expected at most 700,000\n${shown}`);
});
