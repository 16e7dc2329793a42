// A runtime log: pasted on the start page without script, and read in the workbench, where a line leads to
// its source.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const OOB =
  "2024-Jun-26 00:32:47.943821 30294:32381 ERROR  TDRV:generate_custom_notification_msg        nd0:nc0:h_model.id1001: " +
  "Received notification generated at runtime: failed to run scatter/gather (indirect memory copy), due to out-of-bound " +
  "access. isa instruction line number = 2. model name = /m/input.neff";
const LOG = [
  OOB,
  "2023-Jan-09 20:27:41.0593 15042:15042 ERROR  TDRV:exec_consume_tpb_status_notifications   Missing infer_status notification: (end:2)",
  "2024-Jan-19 05:03:34.343999 31898:32693 ERROR  NEFF:neff_parse      NEFF version: 2.0, features: 0x100 are not supported.  Currently supporting: 0x80000000000000ff",
  "2024-Jun-26 00:32:47.948678 30294:32381 ERROR  NMGR:dlr_infer      Inference completed with err: 1006. mode->h_nn=1001",
  "some line of a training loop",
].join("\n");

let server;
let browser;

before(async () => {
  server = await startServer({ files: [fixture("sg00"), fixture("two-subgraphs")] });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Session of an opened file, by the subgraphs that it holds. */
const session = async (page, holds) => {
  const row = page.locator("#files tbody tr").filter({ has: page.locator(`[title="${holds}"]`) });
  return (await row.locator("a").getAttribute("href")).split("/")[2];
};

for (const [name, context] of [
  ["with script", {}],
  ["without script", { javaScriptEnabled: false }],
]) {
  test(`the start page reads a log ${name}`, async () => {
    await withPlain(`${server.url}/`, context, async (page) => {
      await page.locator("#log-file").selectOption(await session(page, "sg00"));
      await page.locator("#log-text").fill(LOG);
      await page.getByRole("button", { name: "Read the log" }).click();
      await page.waitForURL(/\/log$/);
      const lines = page.locator(".loglines > li:not(.lfold)");
      assert.equal(await lines.count(), 4);
      // The line that says nothing known is folded with its count, not dropped.
      const fold = page.locator(".loglines > .lfold");
      assert.match(await fold.locator("summary").innerText(), /\b1 line\b/);
      assert.match(await fold.locator("pre").textContent(), /^ *5 +some line of a training loop$/);
      assert.match(await lines.nth(0).textContent(), /out-of-bounds.*POOL MAIN slot \d+ IP 2/s);
      assert.match(await page.locator(".logcodes").textContent(), /1006 NRT_EXEC_OOB/);
      await screenshot(page, `log-page-${name.replace(" ", "-")}`);
      await lines.nth(0).locator("a").first().click();
      await page.waitForURL(/\/f\/[a-z2-7]{26}\/code\?s=sg00&e=POOL&slot=\d+/);
    });
  });
}

/** A page; one without script cannot say when it listens. */
async function withPlain(url, context, body) {
  if (context.javaScriptEnabled !== false) return withPage(browser, url, { context }, body);
  const own = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...context });
  try {
    const page = await own.newPage();
    await page.goto(url);
    await body(page);
  } finally {
    await own.close();
  }
}

test("a log read in the workbench leads to a record and its source", async () => {
  let id;
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    id = await session(page, "sg00, sg01");
  });
  await withPage(browser, `${server.url}/f/${id}/regions`, {}, async (page) => {
    await page.locator('[role="row"][data-row]').first().waitFor();
    await page.keyboard.press("l");
    const box = page.locator("#log-input");
    await box.waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "log-input");
    // Record 4 of ACT comes from line 15 of matmul.py.
    await box.fill(`${LOG.replace(OOB, "[ND 0][NC 0] ERROR  TDRV:engine_state  ACT  NEFF IP 4")}`);
    await page.keyboard.press("Control+Enter");
    const go = page.locator(".dlg.log .lgo").first();
    await go.waitFor();
    assert.match(await page.locator(".dlg.log .db").textContent(), /4 of 5 lines are of a known kind/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await go.click();
    await page.waitForURL(/\/code\?.*e=ACT/);
    await page.locator('[role="row"][aria-selected="true"]').waitFor();
    await page.locator(".srcp [aria-selected=true]").first().waitFor();
    assert.match(await page.locator(".srcp").textContent(), /matmul\.py.*15/s);
    // The text is still there for the next line.
    await page.keyboard.press("l");
    assert.match(await box.inputValue(), /infer_status/);
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "hidden" });
  });
});

test("the log box and what was read look right in both themes and widths", async () => {
  let id;
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    id = await session(page, "sg00");
  });
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1600, 800]) {
      const context = { colorScheme, viewport: { width, height: 900 } };
      await withPage(browser, `${server.url}/`, { context }, async (page) => {
        await page.locator("#log-text").scrollIntoViewIfNeeded();
        await screenshot(page, `log-start-${width}-${colorScheme}`);
        await page.locator("#log-text").fill(LOG);
        await page.getByRole("button", { name: "Read the log" }).click();
        await page.waitForURL(/\/log$/);
        assert.deepEqual(await accessibilityProblems(page), []);
        await screenshot(page, `log-page-${width}-${colorScheme}`);
      });
      await withPage(browser, `${server.url}/f/${id}/code`, { context }, async (page) => {
        await page.locator('[role="row"][data-row]').first().waitFor();
        await page.keyboard.press("l");
        await page.locator("#log-input").fill(LOG);
        await page.keyboard.press("Control+Enter");
        await page.locator(".dlg.log .lgo").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        assert.equal(wide, false, "the page is not wider than its window");
        await screenshot(page, `log-dialog-${width}-${colorScheme}`);
      });
    }
  }
});
