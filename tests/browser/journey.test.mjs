// A person's way through a real file: open it, click a region, type a PC, read the source line, pass
// the address on, go back; then a damaged file and its error; then the same file without a server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, openPage, screenshot, withPage } from "./support/browser.mjs";
import { realFile } from "./support/real.mjs";
import { fixture, startServer } from "./support/server.mjs";

const real = realFile("matmul_small");
const needsReal = { skip: real ? false : "the real file matmul_small is absent" };

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

/** Gives files to the start page's picker, as a person does by its button. */
async function choose(page, way, file) {
  await page.locator(`input[name="way"][value="${way}"]`).check({ force: true });
  await page.locator('input[type="file"]').setInputFiles(file);
}

const selectedRow = (page) => page.locator('[role="row"][aria-selected="true"]');

/** Types into the go-to box and takes the first place. */
async function goTo(page, text) {
  await page.keyboard.press("g");
  await page.locator('#goto input').fill(text);
  await page.locator('#goto-list [role="option"]').first().waitFor();
  await page.keyboard.press("Enter");
}

test("from a file to the source line of a PC, and back", needsReal, async () => {
  let address;
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await choose(page, "server", real);
    await page.waitForURL(/\/f\/[a-z2-7]{26}\/regions/);
    await page.locator('[role="row"][data-row]').first().waitFor();

    // A click into the strip of PE selects a slot of it.
    const strip = page.locator('[data-engine="PE"] svg, svg[data-engine="PE"]').first();
    const box = await strip.boundingBox();
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.waitForURL(/[?&]slot=\d+/);
    const clicked = page.url();

    // Slot 70 of PE is NEFF IP 10, a MATMUL whose chain ends in line 58.
    const base = await page.evaluate(async () => {
      const session = document.body.dataset.session;
      const answer = await fetch(`/api/v1/sessions/${session}/ask`, {
        method: "POST",
        body: JSON.stringify({ ask: "regions" }),
      });
      return (await answer.json()).engines[0].base;
    });
    const pc = `0x${(BigInt(base) + 70n * 64n).toString(16)}`;
    await goTo(page, pc);
    await page.waitForURL(/[?&]slot=70\b/);
    await selectedRow(page).filter({ hasText: "MATMUL" }).waitFor();
    await page.getByText("test_spike_async.py:58").first().waitFor();
    await screenshot(page, "journey-slot-70");
    address = page.url();

    // Back is the place that was clicked.
    await page.evaluate(() => history.back());
    await page.waitForURL(clicked);
    await page.evaluate(() => history.forward());
    await page.waitForURL(address);
  });
  // The address in a new profile shows the same.
  await withPage(browser, address, {}, async (page) => {
    await selectedRow(page).filter({ hasText: "MATMUL" }).waitFor();
    await page.getByText("test_spike_async.py:58").first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a damaged file says what is wrong, where, and its code", async () => {
  const expected = [/status of 422/];
  await withPage(browser, `${server.url}/`, { expected }, async (page) => {
    for (const way of ["server", "local"]) {
      await choose(page, way, fixture("damaged-gzip-truncated"));
      const notice = page.locator(".banner.err, .banner").filter({ hasText: "neff.gzip-truncated" });
      await notice.first().waitFor();
      assert.match(await notice.first().innerText(), /0x6bc/);
    }
    await screenshot(page, "journey-damaged");
  });
});

test("the browser alone gives the server's answers", async () => {
  const profiles = [
    "sunda-r2.23",
    "sunda-r2.25",
    "cayman-r2.27",
    "modelled-sunda",
    "modelled-cayman",
    "modelled-mariana",
  ];
  const file = real ?? fixture("two-subgraphs");
  const questions = [
    { ask: "info" },
    { ask: "slots", e: "POOL" },
    { ask: "image", e: "SP" },
    { ask: "regions" },
    { ask: "pc", e: "PE", pc: "0x1000", base: "0x0" },
    { ask: "ip", e: "PE", ip: 2 },
    { ask: "slot", e: "PE", ip: 2 },
    { ask: "source", e: "PE", ip: 2 },
    { ask: "goto", e: "PE", text: "slot 3" },
    { ask: "profiles" },
    // The bundle has the profiles in another form than the server.
    ...profiles.map((profile) => ({ ask: "image", e: "POOL", profile, core: 0 })),
    { ask: "records", e: "PE" },
    { ask: "record", e: "PE", name: "patch_info" },
    { ask: "log", text: "nrt_load status 4" },
    { ask: "slots", s: "nowhere" },
  ].map((question) => JSON.stringify(question));
  const bytes = [...readFileSync(file)];
  const opened = await openPage(browser, `${server.url}/`, { expected: [/status of 404/] });
  const { page } = opened;
  const different = await page.evaluate(
    async ({ bytes, questions }) => {
      const data = new Uint8Array(bytes);
      const upload = await fetch("/api/v1/files?name=same.neff", { method: "POST", body: data });
      const { id } = await upload.json();
      const boot = document.querySelector('script[type="module"]').src;
      const version = new URL(boot).search;
      const wasm = await import(`/static/pkg/worker_wasm.js${version}`);
      await wasm.default();
      wasm.worker_open("same.neff", data);
      const wrong = [];
      for (const question of questions) {
        const reply = await fetch(`/api/v1/sessions/${id}/ask`, { method: "POST", body: question });
        const there = await reply.text();
        let here;
        try {
          here = wasm.worker_ask(question);
        } catch (error) {
          here = String(error);
        }
        if (here !== there) wrong.push({ question, here: here.slice(0, 300), there: there.slice(0, 300) });
      }
      return wrong;
    },
    { bytes, questions },
  );
  assert.deepEqual(different, []);
  await opened.close();
});

test("a file read in the browser is shown and sent nowhere", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(request.url());
    });
    await choose(page, "local", fixture("two-subgraphs"));
    await page.waitForURL(/\/local\/regions/);
    await page.locator('[role="row"][data-row]').first().waitFor();
    await goTo(page, "ip 2");
    await page.waitForURL(/[?&]ip=2\b|[?&]slot=\d+/);
    await screenshot(page, "journey-local");
    assert.deepEqual(sent, []);
  });
});
