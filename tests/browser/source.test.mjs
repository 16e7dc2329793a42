// A person adds the file that the source lines name, and reads it beside the slots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, choose, drop, openBrowser, screenshot, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "two.neff", bytes: readFileSync(fixture("two-subgraphs")) };
const lines = Array.from({ length: 30 }, (_, at) => `line_${at + 1} = "${"x".repeat(at * 4)}"`);
const source = { name: "matmul.py", bytes: Buffer.from(lines.join("\n")) };

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


async function shown(page) {
  const text = page.getByRole("region", { name: "matmul.py:14" });
  await text.waitFor();
  const current = text.locator('[aria-current="true"]');
  assert.match(await current.innerText(), /14\s*line_14/);
  assert.deepEqual(await accessibilityProblems(page), []);
  return text;
}

for (const where of [/Read in this browser/, /Upload to this server/]) {
  test(`the text of a source line: ${where.source}`, async () => {
    await withPage(browser, `${server.url}/`, {}, async (page) => {
      await way(page, where);
      await drop(page, "#drop", [neff]);
      await page.waitForURL(/slot=\d+/);
      await page.keyboard.press("g");
      await page.keyboard.type("ip 4");
      await page.keyboard.press("Enter");
      await page.waitForURL(/slot=64\b/);
      await choose(page, () => page.getByRole("button", { name: "Add matmul.py" }).click(), source);
      const text = await shown(page);
      await screenshot(page, "source-text");
      // The line leads to its first record.
      await text.getByRole("button", { name: "IP 3" }).click();
      await page.locator(".idh", { hasText: "IP 3" }).or(page.locator(".crumb, nav", { hasText: "slot" })).first().waitFor();
      await page.getByRole("button", { name: "Add matmul.py" }).waitFor({ state: "detached" });
    });
  });
}

test("executable and text at once", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Read in this browser/);
    await drop(page, "#drop", [source, neff]);
    await page.waitForURL(/slot=\d+/);
    await page.keyboard.press("g");
    await page.keyboard.type("ip 4");
    await page.keyboard.press("Enter");
    await shown(page);
  });
});
