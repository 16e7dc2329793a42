// The start page: it loads from a server without files, and nothing goes wrong in it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

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
