// A person asks what collectives put into the control tables, bit by bit, what ranks do, and whether they agree.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, screenshot, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const NAMES = [
  "all-gather", "all-reduce-2", "all-reduce-4", "all-reduce-8", "faults", "grouped", "hierarchical", "other-count",
  "other-elements", "reduce-scatter", "send-receive", "send-receive-peer",
];

let server;
let browser;
let folder;
const paths = {};

before(async () => {
  // Files are told apart by their names.
  folder = mkdtempSync(join(tmpdir(), "neffscope-collectives-"));
  const files = [...NAMES.map((name) => [name, `collective-${name}`]), ["memory", "memory"]].map(([name, of]) => {
    const path = join(folder, `${name}.neff`);
    copyFileSync(fixture(of), path);
    return path;
  });
  server = await startServer({ files });
  browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${server.url}/`);
  for (const link of await page.locator('a[href^="/f/"]').all()) {
    const name = (await link.innerText()).match(/([a-z0-9-]+)\.neff/)?.[1];
    if (name) paths[name] ??= (await link.getAttribute("href")).replace(/regions$/, "collectives");
  }
  await page.close();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const url = (name, query = "") => `${server.url}${paths[name]}${query}`;
const entries = (page) => page.getByRole("grid", { name: "Control entries" });
const row = (page, at) => page.locator(`#ce-${at.replace(".", "-")}`);
const field = (page, name) => page.locator(`#cf-${name}`);
const drawing = (page) => page.locator(".ctopo");
const step = (page, text) => page.locator(".csaid", { hasText: text }).waitFor();
const says = (page, text) => page.waitForFunction((text) => document.querySelector("#live").textContent.includes(text), text);

/** Opens executables together, as ranks in this order. */
async function together(names) {
  const ids = names.map((name) => paths[name].split("/")[2]);
  const response = await fetch(`${server.url}/api/v1/sessions`, { method: "POST", body: JSON.stringify({ files: ids }) });
  return `${server.url}/f/${(await response.json()).id}/collectives`;
}

test("entries, their bits both ways, and the two readings", async () => {
  await withPage(browser, url("all-reduce-8"), {}, async (page) => {
    // The first entry: a mesh (2) whose second half is not published.
    await row(page, "0.0").filter({ hasText: "0102?000 ????????" }).waitFor();
    await page.locator(".cread", { hasText: "enc_alg_type" }).filter({ hasText: "2 = MESH" }).waitFor();
    await page.locator(".cread", { hasText: "enc_pattern" }).filter({ hasText: "2 = INVALID" }).waitFor();
    await page.locator(".cread", { hasText: "it does not explain a table of 12 entries" }).waitFor();
    await field(page, "sema_mask").filter({ hasText: "?" }).waitFor();
    // A ring's entry: channel 1 of the second TOP_SP, which waits and reports: bits 16, 17 and 33.
    await row(page, "2.1").click();
    await page.waitForURL(/entry=2\.1/);
    await page.getByRole("heading", { name: "Entry 2 of TOP_SP 1" }).waitFor();
    await page.locator(".cent .ad", { hasText: "0x0000000200?30001" }).waitFor();
    assert.match(await field(page, "channel_list").innerText(), /bits 32–63\s+0x2\s+channels 1/);
    // Over a bit its field lights up, over a field its bits.
    await page.locator('.cbl .bc[data-field="reporter"]').hover();
    await page.locator("#cf-reporter.hot").waitFor();
    await field(page, "channel_list").hover();
    assert.equal(await page.locator('.cbl .bc.hot[data-field="channel_list"]').count(), 32);
    await field(page, "algo_type").click();
    await page.locator('.cbl .bc.on[data-field="algo_type"]').first().waitFor();
    await page.waitForURL(/field=algo_type/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "collectives");
  });
});

test("every step by key, and the address opens exactly this", async () => {
  await withPage(browser, url("all-reduce-8").replace("collectives", "code"), {}, async (page) => {
    await page.locator('[role="row"][data-row]').first().waitFor();
    await page.keyboard.press("5");
    await row(page, "0.0").waitFor();
    await page.keyboard.press("End");
    await says(page, "Entry 2 of TOP_SP 1, all-reduce ADD, ring, channel 1 · reporter, wait");
    await page.keyboard.press("t");
    await page.waitForURL(/topsp=0/);
    assert.equal(await entries(page).getAttribute("aria-rowcount"), "4");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.waitForURL(/entry=1\.0/);
    await page.keyboard.press("ArrowRight");
    await says(page, "cc_op, bit 0: 1");
    await page.keyboard.press("F6");
    await page.keyboard.press("ArrowDown");
    await page.waitForURL(/field=reserved_header/);
    await page.keyboard.press("]");
    await page.waitForURL(/side=step/);
    await step(page, "Step 1 of 6");
    await page.keyboard.press(".");
    await step(page, "Step 2 of 6");
    await page.waitForURL(/step=1/);
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await step(page, "Step 6 of 6");
    await page.waitForURL(/step=5/);
    const link = page.url();
    await page.goto(link);
    await step(page, "Step 6 of 6");
    await page.locator("#cf-reserved_header.on").waitFor();
    assert.equal(await page.locator(".tabs .on[data-side=step]").count(), 1);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("ranks and steps: who moves what, who waits and posts", async () => {
  await withPage(browser, url("all-reduce-8", "?alg=ring&side=step"), {}, async (page) => {
    await step(page, "Step 1 of 14: reduce-scatter, 8 transfers");
    // Rank 0 of 8 sends chunk 7 to rank 1, and posts there.
    const acts = page.locator(".cact");
    await acts.filter({ hasText: "chunk 7: rank 0 → rank 1" }).first().waitFor();
    await acts.filter({ hasText: "rank 1 recv_sema += 1" }).first().waitFor();
    assert.equal(await page.locator(".ctopo .cnode").count(), 8);
    assert.equal(await page.locator(".ctopo .edge.hot").count(), 1);
    await page.locator('.cnode[data-node="3"]').click();
    await page.waitForURL(/who=3/);
    await acts.filter({ hasText: "chunk 2: rank 3 → rank 4" }).first().waitFor();
    await page.getByRole("button", { name: "Next step" }).click();
    await acts.filter({ hasText: "chunk 1: rank 3 → rank 4" }).first().waitFor();
    await screenshot(page, "collectives-ring");
  });
  // Two nodes of 64 ranks: rings inside, one step between, and back.
  await withPage(browser, url("hierarchical", "?step=63"), {}, async (page) => {
    await step(page, "Step 64 of 128");
    await step(page, "between nodes");
    assert.equal(await page.locator(".ctopo .cgroup").count(), 2);
    assert.equal(await page.locator(".ctopo .cnode").count(), 128);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("the plan leads to code, variables and addresses, and back", async () => {
  await withPage(browser, url("all-reduce-4"), {}, async (page) => {
    const plan = page.locator(".cbody");
    await plan.filter({ hasText: "4 ranks: 0–3" }).waitFor();
    assert.match(await plan.innerText(), /CTRL SPAD\s+2 of 512 entries 4,096 B/);
    assert.match(await plan.innerText(), /tpb_stop_sema\s+not known/);
    await plan.getByRole("button", { name: "gradient_in", exact: true }).click();
    await page.waitForURL(/memory\?.*var=0\.sg00\.3/);
    await page.goBack();
    await plan.getByRole("button", { name: "gradient_out in Structs" }).click();
    await page.waitForURL(/structs\?.*rec=variable\.gradient_out/);
    await page.goBack();
    await row(page, "1.0").click();
    await plan.getByRole("button", { name: "PE IP 2" }).click();
    await page.waitForURL(/code\?.*e=PE/);
    // The record's details lead back to its entries.
    await page.locator(".det").getByRole("button", { name: "entry 1" }).click();
    await page.waitForURL(/collectives\?.*entry=1\.0/);
    await page.getByRole("heading", { name: "Entry 1 of TOP_SP 0" }).waitFor();
    await plan.locator('[data-address="0x8280261540"]').click();
    await page.waitForURL(/part=addresses&addr=0x8280261540/);
    await page.locator(".mwhere", { hasText: "TOP_SP 0" }).waitFor();
  });
});

test("ranks are compared: the first difference, and whose it is", async () => {
  await withPage(browser, `${await together(["all-reduce-2", "other-elements"])}?side=ranks`, {}, async (page) => {
    await page.locator(".cbody .banner", { hasText: "First difference" }).filter({ hasText: "elements is" }).waitFor();
    const cell = page.locator(".cx.dif.first");
    assert.match(await cell.getAttribute("aria-label"), /^rank 1, collective \d+: differs$/);
    assert.match(await page.locator(".cdiff").innerText(), /elements/);
    await cell.click();
    await page.waitForURL(/rank=1/);
    await page.locator("#coll-rank").filter({ hasText: "other-elements" }).waitFor();
    assert.equal(await page.locator("#coll-rank").inputValue(), "1");
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "collectives-ranks");
  });
  await withPage(browser, `${await together(["send-receive", "send-receive-peer"])}?side=ranks`, {}, async (page) => {
    await page.locator(".cbody .banner", { hasText: "All 2 ranks ask for the same" }).waitFor();
  });
  await withPage(browser, `${await together(["all-reduce-2", "other-count"])}?side=findings`, {}, async (page) => {
    await page.locator(".cbody .banner", { hasText: "collectives.count" }).waitFor();
  });
});

test("what is wrong with collectives, each with its place", async () => {
  await withPage(browser, url("faults", "?side=findings"), {}, async (page) => {
    const findings = page.locator(".cbody .banner");
    await findings.filter({ hasText: "collectives.rank-missing" }).first().waitFor();
    await findings.filter({ hasText: "collectives.range" }).first().waitFor();
    const lost = findings.filter({ hasText: "collectives.variable" }).first();
    await lost.getByRole("button").click();
    await page.waitForURL(/entry=1\.0/);
    await page.locator("#ce-1-0 .s-error").waitFor();
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.locator(".cvar", { hasText: "id 9, which is not there" }).waitFor();
    // More channels than an entry has bits for is a finding, and no number is refused with its reason.
    await page.getByLabel("Channels").fill("40");
    await page.getByLabel("Channels").press("Enter");
    await page.getByRole("button", { name: /^Findings/ }).click();
    await findings.filter({ hasText: "channel ids above 31 have no bit" }).waitFor();
    await page.locator("#coll-world").fill("x");
    await page.locator("#coll-world").press("Enter");
    await page.locator(".toast", { hasText: "Ranks: `x` is no number" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a word is decoded and edited", async () => {
  await withPage(browser, url("all-reduce-4", "?word=none"), { expected: [/status of 400/] }, async (page) => {
    const word = page.locator("#coll-word");
    // MESH-4 of the worked entries, as bytes and as a word.
    await word.fill("01 22 11 00 0c 00 01 80");
    await page.locator(".cent .ad", { hasText: "0x8001000c00112201" }).waitFor();
    assert.equal(await page.locator('[data-set="sema_shift_offset"]').inputValue(), "12");
    assert.equal(await page.locator('[data-set="sema_mask"]').inputValue(), "0x8001");
    await word.fill("0x0000000F00030001");
    await page.locator(".cent .ad", { hasText: "0x0000000f00030001" }).waitFor();
    // A bit is turned, a field is set; what does not fit is refused and nothing changes.
    await page.locator('.bc[data-bit="18"]').click();
    await page.locator(".cent .ad", { hasText: "0x0000000f00070001" }).waitFor();
    const algorithm = page.locator('[data-set="algo_type"]');
    await algorithm.fill("KANGARING");
    await algorithm.press("Enter");
    await page.locator(".cent .ad", { hasText: "0x0000000f00070301" }).waitFor();
    await page.waitForURL(/word=010307000f000000/);
    await page.locator('[data-set="algo_type"]').fill("16");
    await page.locator('[data-set="algo_type"]').press("Enter");
    await page.locator(".cdec .banner", { hasText: "spad.field" }).waitFor();
    await page.locator('[data-set="reporter"]').uncheck();
    await page.locator(".cent .ad", { hasText: "0x0000000f00060301" }).waitFor();
    await page.getByRole("button", { name: "enc_pattern" }).click();
    await page.locator(".cread.on", { hasText: "enc_pattern" }).filter({ hasText: "3 = no name" }).waitFor();
    await word.fill("zz");
    await page.locator(".cdec .banner", { hasText: "spad.word" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("Escape");
  });
  // The page without a file needs no script.
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(`${server.url}/`);
    await page.getByRole("link", { name: "decoder of control entries" }).click();
    await page.getByLabel("Entry", { exact: true }).fill("0131010004000F00");
    await page.getByRole("button", { name: "Decode the entry" }).click();
    await page.getByText("0x000f000400013101").waitFor();
    await page.getByRole("row", { name: /sema_mask/ }).filter({ hasText: "0xf" }).waitFor();
  } finally {
    await context.close();
  }
});

test("a file without collectives says so and still decodes", async () => {
  await withPage(browser, url("memory"), {}, async (page) => {
    await page.locator(".gap", { hasText: "This executable has no collectives" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Open the decoder" }).click();
    await page.locator("#coll-word").fill("0x1");
    await page.getByRole("heading", { name: "NOP, keeps step" }).waitFor();
  });
});

test("every file with collectives opens, narrow and without script too", async () => {
  for (const name of NAMES) {
    const context = { viewport: { width: 800, height: 900 }, colorScheme: NAMES.indexOf(name) % 2 ? "light" : "dark" };
    await withPage(browser, url(name), { context }, async (page) => {
      await page.locator(".cent .ad").first().waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 800, name);
      assert.deepEqual(await accessibilityProblems(page), [], name);
    });
  }
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(url("all-reduce-8"));
    await page.getByRole("heading", { name: "Control entries" }).waitFor();
    await page.getByRole("link", { name: "0100040001000000" }).click();
    await page.getByText("0x0000000100040001").waitFor();
  } finally {
    await context.close();
  }
});
