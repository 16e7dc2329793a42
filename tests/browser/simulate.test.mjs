// A person runs the program on the model, breaks something on purpose, and finds out why it stands still.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, drop, openBrowser, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "sg00.neff", bytes: readFileSync(fixture("sg00")) };
const pair = { name: "two.neff", bytes: readFileSync(fixture("two-subgraphs")) };
let server;
let browser;

before(async () => {
  server = await startServer({ files: [fixture("sg00")] });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const outcome = (page, word) => page.locator(".rout b", { hasText: word }).waitFor();
const cause = (page) => page.locator(".rstuck.cause");

async function opened(page, files) {
  await way(page, /Read in this browser/);
  await drop(page, "#drop", files);
  await page.waitForURL(/\/local\/regions/);
  await page.locator(".strips > svg[role=group]").waitFor();
}

test("a run, a ring that stalls, the slot that waits, and back", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [neff]);
    await page.keyboard.press("8");
    await page.waitForURL(/\/local\/run/);
    await page.getByText("The program has not run yet.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    await page.keyboard.press("Shift+R");
    await outcome(page, "Finished");
    await page.locator(".rbars").first().waitFor();
    assert.equal(await page.locator(".rmain .badge", { hasText: "modelled" }).count(), 1);
    assert.deepEqual(await accessibilityProblems(page), []);

    // The switch keeps the focus while the run that it starts takes its place.
    const stall = page.getByRole("button", { name: /stall ring 0 of queue q_gradient_in/ });
    await stall.focus();
    await page.keyboard.press("Enter");
    await outcome(page, "Deadlock");
    await page.waitForURL(/[?&]run=1&stall=q_gradient_in%3A0/);
    assert.equal(await stall.getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.part), "q_gradient_in:0");
    await cause(page).getByText("its ring 0 does not move").waitFor();
    const nodes = await page.locator(".rgraph .rnode .rt1").allTextContents();
    assert.ok(nodes.includes("q_gradient_in block 0"), nodes.join());
    assert.equal(await page.locator(".rgraph .rt3", { hasText: "root" }).count(), 1);
    await page.locator(".rmade dd", { hasText: "q_gradient_in:0 stalled" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    await cause(page).getByRole("button", { name: "PE slot 62, IP 1", exact: true }).click();
    await page.waitForURL(/\/local\/code\?.*slot=62(&|$)/);
    await page.goBack();
    await page.waitForURL(/\/local\/run/);
    await outcome(page, "Deadlock");

    await page.getByRole("button", { name: "Run without what is broken" }).click();
    await outcome(page, "Finished");
    assert.equal(await page.locator("#run-stall").inputValue(), "");
  });
});

test("an address runs what it says, and what cannot be is told", async () => {
  // The browser says of every answer with this status that it is one.
  const expected = [/status of 400 .*\/ask\)$/];
  await withPage(browser, `${server.url}/`, { expected }, async (page) => {
    const link = await page.locator("a[href^='/f/']").first().getAttribute("href");
    await page.goto(`${server.url}${link.replace(/\/regions.*/, "/run")}?run=1&drop=semaphore:10`);
    await outcome(page, "Deadlock");
    await page.locator(".rgraph .rt1", { hasText: "A lost post" }).waitFor();

    await page.locator("#run-drop").fill("semaphore:10:0");
    await page.locator("#run-drop").press("Enter");
    await page.locator(".rbody .banner.err", { hasText: "is no post" }).waitFor();
    await page.locator("#run-drop").fill("");
    await page.locator("#run-inferences").fill("3");
    await page.locator("#run-inferences").press("Enter");
    await page.locator(".rout", { hasText: "3 inferences are done" }).waitFor();
    await page.waitForURL(/[?&]run=1&inferences=3(&|$)/);
    await page.reload();
    await page.locator(".rout", { hasText: "3 inferences are done" }).waitFor();
  });
});

test("a run that takes too long is given up, in the browser and on the server", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const link = await page.locator("a[href^='/f/']").first().getAttribute("href");
    const long = "inferences=1000000&events=1000000000";
    const giveUp = async (open) => {
      await open();
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await page.locator(".rbody .banner.err", { hasText: "given up" }).waitFor();
      await page.waitForURL((url) => !url.searchParams.has("run"));
      // Whoever answers is there for the next question.
      await page.locator("#run-inferences").fill("2");
      await page.locator("#run-inferences").press("Enter");
      await page.locator(".rout", { hasText: "2 inferences are done" }).waitFor();
    };
    await giveUp(() => page.goto(`${server.url}${link.replace(/\/regions.*/, "/run")}?run=1&${long}`));
    await page.goto(`${server.url}/`);
    await opened(page, [neff]);
    await page.keyboard.press("8");
    await giveUp(async () => {
      await page.locator("#run-events").fill("1000000000");
      await page.locator("#run-inferences").fill("1000000");
      await page.locator("#run-inferences").press("Enter");
    });
  });
});

test("two cores run together; one can start late, the palette runs again", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [pair]);
    await page.keyboard.press("Control+K");
    await page.locator("#palette-input").fill("simulate");
    await page.keyboard.press("Enter");
    await outcome(page, "Finished");
    const time = () => page.locator(".rfl dd").first().textContent();
    const before = await time();
    await page.getByRole("button", { name: /sg01: start 10,000 ns late/ }).click();
    await page.waitForURL(/delay=sg01%3A10000/);
    await page.locator(".rmade dd", { hasText: "sg01:10000 delayed" }).waitFor();
    const number = (text) => Number(text.replace(/\D/g, ""));
    assert.ok(number(await time()) > number(before));
    await page.locator("#run-alone").check();
    await page.getByText("The choices have changed since the run that is shown.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("ranks run together, one can lose a post, a seed is compared, a timing model is one's own", async () => {
  const ranks = { name: "four.neff", bytes: readFileSync(fixture("collective-all-reduce-4")) };
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [ranks]);
    await page.keyboard.press("8");
    await page.waitForURL(/\/local\/run/);
    await page.locator("#run-ranks").fill("4");
    await page.locator("#run-seed").fill("3");
    await page.locator("#run-ranks").press("Enter");
    await outcome(page, "Finished");
    await page.waitForURL(/ranks=4/);
    await page.getByText("nothing depends on what is first at one instant").waitFor();
    await page.getByRole("rowheader", { name: "rank 3 sg00" }).first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    await page.getByRole("button", { name: /Rank 1: lose its first post/ }).click();
    await outcome(page, "Deadlock");
    await page.waitForURL(/drop=rank1%3Alink%3A1/);
    await page.locator(".rout", { hasText: "left out on purpose" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    // A model that is none is told with its line.
    await page.locator(".rfold summary", { hasText: "Timing model" }).click();
    await page.locator("#run-timing").fill("name = 1");
    await page.locator("#run-timing").blur();
    await page.getByRole("button", { name: "Simulate", exact: true }).click();
    await page.locator(".rbody .banner.err", { hasText: "timing.invalid" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});
