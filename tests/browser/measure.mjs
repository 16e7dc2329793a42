// Reports how fast the pages are; nothing is decided by it. NEFFSCOPE names the server program, which
// should be a release build: `cargo xtask wasm && cargo build --release -p backend`, then
// `NEFFSCOPE=target/release/neffscope node tests/browser/measure.mjs`. The comparison with a capture
// also needs `cargo build --release -p tests --bin make-capture`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openBrowser, viewport } from "./support/browser.mjs";
import { writeLargeNeff } from "./support/large.mjs";
import { writeManyVariables } from "./support/memory.mjs";
import { realFile } from "./support/real.mjs";
import { startServer } from "./support/server.mjs";
import { firstLoad } from "./support/traffic.mjs";

const RECORDS = 262_983;
const FRAMES = 300;
const WARM_UP = 30;

const folder = mkdtempSync(join(tmpdir(), "neffscope-measure-"));
const VARIABLES = 100_000;
const many = writeManyVariables(join(folder, "many.neff"), VARIABLES);
const large = writeLargeNeff(join(folder, "large.neff"), RECORDS);
const real = realFile("matmul_large");
const server = await startServer({ files: [real, large, many].filter(Boolean) });
const browser = await openBrowser();
try {
  const views = await listed();
  for (const { name, path } of views) {
    const times = [];
    for (let run = 0; run < 3; run += 1) times.push(await interactive(path));
    console.log(`${name}: navigation to first rows ${times.map(Math.round).join(" ")} ms`);
  }
  const traffic = await firstLoad(browser, `${server.url}/`);
  console.log(`first load: ${traffic.requests} requests, ${traffic.bytes} bytes`);
  const view = views.find(({ name }) => name === "large.neff");
  for (const jump of [60, 5000]) {
    const { script, interval, nodes } = await scroll(view.path, jump);
    console.log(`${RECORDS} records, ${jump} px a frame: script p50 ${script[0]} p95 ${script[1]} p99 ${script[2]} ms, ` +
      `frame interval p95 ${interval[1]} ms, ${nodes} DOM nodes`);
  }
  await compare();
  for (const { name, path } of views.filter(({ name }) => name !== "large.neff")) {
    const { planned, draw, nodes } = await memory(path.replace("regions", "memory"));
    console.log(`${name}: navigation to the plan of device memory ${planned.map(Math.round).join(" ")} ms, ` +
      `script of drawing it again p50 ${draw[0]} p95 ${draw[1]} ms, ${nodes} DOM nodes`);
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function listed() {
  const page = await browser.newPage();
  await page.goto(`${server.url}/`);
  const links = await page.locator('a[href^="/f/"]').evaluateAll((all) =>
    all.map((link) => ({ name: link.textContent.trim(), path: link.getAttribute("href") })));
  await page.close();
  return links.filter(({ name }, at) => links.findIndex((one) => one.name === name) === at);
}

async function interactive(path) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(server.url + path, { waitUntil: "commit" });
  await page.locator('[role="row"][data-row]').first().waitFor();
  const time = await page.evaluate(() => performance.now());
  await context.close();
  return time;
}

/** The Memory view: until its plan is there, and the script time of drawing both page maps again. */
async function memory(path) {
  const planned = [];
  const draw = [];
  let nodes = 0;
  for (let run = 0; run < 3; run += 1) {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    await page.goto(server.url + path, { waitUntil: "commit" });
    await page.locator("[data-map]").first().waitFor();
    planned.push(await page.evaluate(() => performance.now()));
    const client = await context.newCDPSession(page);
    await client.send("Performance.enable");
    const script = async () => {
      const { metrics } = await client.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "ScriptDuration").value * 1000;
    };
    for (let turn = 0; turn < 12; turn += 1) {
      const before = await script();
      await page.keyboard.press("m");
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      draw.push(await script() - before);
    }
    nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    await context.close();
  }
  return { planned, draw: percentiles(draw), nodes };
}

/** Script time of a frame is what the page's own scroll and frame work takes, by the browser's count. */
async function scroll(path, jump) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(server.url + path.replace("regions", "code"));
  await page.locator('[role="row"][data-row]').first().waitFor();
  const client = await context.newCDPSession(page);
  await client.send("Performance.enable");
  const metric = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const scripts = [];
  const intervals = [];
  for (let frame = 0; frame < WARM_UP + FRAMES; frame += 1) {
    const before = await metric();
    const interval = await page.evaluate(async (by) => {
      const scroller = document.querySelector(".vgs");
      const start = performance.now();
      scroller.scrollTop += by;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return (performance.now() - start) / 2;
    }, jump);
    const after = await metric();
    if (frame >= WARM_UP) {
      scripts.push((after.ScriptDuration - before.ScriptDuration) * 1000);
      intervals.push(interval);
    }
  }
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  await context.close();
  return { script: percentiles(scripts), interval: percentiles(intervals), nodes };
}

/** A capture of the large file beside what another profile builds: nearly all records are the same. */
async function compare() {
  const maker = join(dirname(process.env.NEFFSCOPE), "make-capture");
  if (!existsSync(maker)) return console.log("comparison with a capture: skipped, there is no make-capture");
  const capture = join(folder, "run.ntff");
  execFileSync(maker, [large, "cayman-r2.27", capture]);
  const pair = await startServer({ files: [large, capture] });
  try {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    await page.goto(`${pair.url}/`);
    const path = await page.locator('a[href^="/f/"]', { hasText: "run.ntff" }).first().getAttribute("href");
    const query = path.includes("?") ? "&" : "?";
    await page.goto(`${pair.url}${path}${query}profile=modelled-cayman&compare=1`);
    await page.locator(".cr .mn").first().waitFor();
    const first = await page.evaluate(() => performance.now());
    const steps = [];
    for (let step = 0; step < 20; step += 1) {
      steps.push(await page.evaluate(async () => {
        const start = performance.now();
        document.querySelector(".cmpp .vgs, .vgs").scrollTop += 50_000;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        return performance.now() - start;
      }));
    }
    const text = (await page.locator(".cmpp").first().innerText()).split("\n").slice(0, 3).join(" | ");
    console.log(`${RECORDS} records compared: navigation to first rows ${Math.round(first)} ms, ` +
      `scrolling two frames p50 p95 p99 ${percentiles(steps).join(" ")} ms; ${text}`);
    await context.close();
  } finally {
    await pair.stop();
  }
}

function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.5, 0.95, 0.99].map((part) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(2));
}
