// The start page: it loads from a server without files, and nothing goes wrong in it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, openPage, screenshot, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";
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

test("the theme is there before the program", async () => {
  for (const [address, kept, theme, ground] of [
    ["/", "dark", "dark", "rgb(17, 21, 22)"],
    ["/?theme=light", "dark", "light", "rgb(251, 250, 247)"],
    ["/", "system", undefined, "rgb(251, 250, 247)"],
  ]) {
    const context = { colorScheme: "light" };
    const { page, close } = await openPage(browser, `${server.url}/`, { context });
    await page.evaluate((kept) => localStorage.setItem("theme", kept), kept);
    let go;
    const held = new Promise((resolve) => (go = resolve));
    await page.route("**/boot.js*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(server.url + address, { waitUntil: "commit" });
    await page.locator("#drop h2").waitFor();
    // Text may be laid out before the style sheets are there.
    await page.waitForFunction(() => getComputedStyle(document.body).display === "grid");
    const shown = await page.evaluate(() => ({
      theme: document.documentElement.dataset.theme,
      ground: getComputedStyle(document.querySelector("main")).backgroundColor,
      ready: document.documentElement.dataset.ready,
    }));
    assert.deepEqual(shown, { theme, ground, ready: undefined });
    go();
    await page.locator("html[data-ready]").waitFor();
    await close();
  }
});

test("a server with a token asks for it before a file is sent", async () => {
  const guarded = await startServer({ args: ["--token", "right-t0ken"] });
  const refused = [/status of 401/];
  try {
    await withPage(browser, `${guarded.url}/`, { expected: refused }, async (page) => {
      const bodies = [];
      page.on("request", (request) => request.url().includes("/api/v1/files") && bodies.push(request.url()));
      await page.getByRole("radio", { name: /Upload to this server/ }).check();
      await page.locator('input[type="file"]').setInputFiles(fixture("sg00"));
      const dialog = page.getByRole("dialog", { name: "Token for uploads" });
      await dialog.waitFor();
      const field = dialog.getByLabel("Token", { exact: true });
      await page.waitForFunction(() => document.activeElement?.id === "token-input");
      assert.deepEqual(await accessibilityProblems(page), []);

      // Tab stays inside, Esc leaves, and nothing is sent.
      for (let turn = 0; turn < 4; turn += 1) await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement?.closest(".dlg.token") !== null));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      assert.deepEqual(bodies, []);

      await page.locator('input[type="file"]').setInputFiles(fixture("sg00"));
      await dialog.waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "token-input");
      await page.keyboard.type("wrong");
      await page.keyboard.press("Enter");
      await dialog.getByRole("alert").filter({ hasText: "request.token" }).waitFor();
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      assert.deepEqual(await accessibilityProblems(page), []);
      await screenshot(page, "token-wrong");
      assert.deepEqual(bodies, []);

      // The field is marked: typing replaces the wrong token.
      await page.keyboard.type("right-t0ken");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/f\/[a-z2-7]{26}\/regions/);
      await page.locator("html[data-ready]").waitFor();
      assert.ok(!page.url().includes("t0ken"));

      // The tab keeps it, and only the tab.
      await page.goto(`${guarded.url}/`);
      await page.locator("html[data-ready]").waitFor();
      assert.equal(await page.evaluate(() => localStorage.getItem("upload-token")), null);
      await page.getByRole("radio", { name: /Upload to this server/ }).check();
      await page.locator('input[type="file"]').setInputFiles(fixture("sg00"));
      await page.waitForURL(/\/f\/[a-z2-7]{26}\/regions/);
      await page.locator("html[data-ready]").waitFor();
    });
  } finally {
    await guarded.stop();
  }
});

test("the first load is small", async () => {
  const { requests, bytes, list } = await firstLoad(browser, `${server.url}/`);
  const shown = list.map((one) => `${one.bytes} ${one.path}`).join("\n");
  assert.ok(requests <= 12, `${requests} requests, expected at most 12\n${shown}`);
  // The goal is 700,000. A bundle made with the standard library of rustup, which is compiled for
  // speed, is larger by a fifth than one that compiles its own.
  assert.ok(bytes <= 900_000, `${bytes} bytes, expected at most 900,000\n${shown}`);
});
