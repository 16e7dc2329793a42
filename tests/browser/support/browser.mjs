// A real browser for a test, and pages that notice everything that goes wrong in them.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";

/** The window of all tests, CSS pixels. */
export const viewport = { width: 1600, height: 900 };

const artifacts = fileURLToPath(new URL("../artifacts", import.meta.url));

let failures = 0;

/** Starts the browser. It asks nothing of the network but what the pages ask. */
export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * Opens a page in a fresh profile. Console errors, uncaught exceptions, violations of the content
 * security policy, failed requests and requests to another host are problems, and `close()` fails
 * if there were any. `expected` holds patterns of problems that the test provokes.
 * `context` goes to the browser (for instance `colorScheme` or `reducedMotion`).
 */
export async function openPage(browser, url, { expected = [], context = {} } = {}) {
  const own = await browser.newContext({ viewport, ...context });
  const page = await own.newPage();
  const problems = [];
  const note = (text) => expected.some((pattern) => pattern.test(text)) || problems.push(text);

  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI}`);
    });
  });
  page.on("console", (message) => {
    if (message.type() === "error") note(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.stack ?? error}`));
  page.on("requestfailed", (request) => {
    // A request that the page itself gave up, for instance when the user moves on, is no problem.
    const reason = request.failure()?.errorText ?? "";
    return reason === "net::ERR_ABORTED" || note(`request: ${request.url()} ${reason}`);
  });
  page.on("request", (request) => {
    const to = new URL(request.url());
    const inside = ["blob:", "data:"].includes(to.protocol) || to.origin === new URL(url).origin;
    return inside || note(`third party: ${request.url()}`);
  });
  // File pickers are taken from the first one to the last: with a listener that comes and goes, a picker
  // that opens between two of them would be the browser's own.
  page.on("filechooser", () => {});
  await page.goto(url);
  // What is done to a page before its program listens is lost, as it is for a person.
  await page.waitForFunction(
    () => document.body.dataset.bundle !== "yes" || document.documentElement.dataset.ready === "yes",
  );
  return {
    page,
    problems,
    async close() {
      await own.close();
      assert.deepEqual(problems, [], "problems in the page");
    },
  };
}

/** Opens a page, runs a test body on it, and closes it with its check. */
export async function withPage(browser, url, options, body) {
  const opened = await openPage(browser, url, options);
  try {
    await body(opened.page);
  } catch (error) {
    failures += 1;
    await screenshot(opened.page, `failure-${process.pid}-${failures}`).catch(() => {});
    await opened.close().catch((problems) => (error.message += `\n${problems.message}`));
    throw error;
  }
  await opened.close();
}

/** Writes a picture of the window to `artifacts/NAME.png`. */
export async function screenshot(page, name) {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`) });
}

/**
 * Serious and critical findings of the accessibility checker, and ids that occur again, one line each;
 * good is none. The checker stumbles over elements that are replaced while it runs; it then runs again
 * on what is there.
 */
export async function accessibilityProblems(page) {
  const check = async (left) => {
    try {
      await page.evaluate(axe.source);
      return await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    } catch (error) {
      if (left === 0) throw error;
      return check(left - 1);
    }
  };
  const { violations } = await check(3);
  const doubled = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `id again: ${id}`);
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`))
    .concat(doubled);
}

/** Drops files on an element at once, as a person would. */
export async function drop(page, selector, files) {
  const transfer = await page.evaluateHandle(
    (files) => {
      const transfer = new DataTransfer();
      for (const { name, text } of files) {
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      }
      return transfer;
    },
    files.map(({ name, bytes }) => ({ name, text: bytes.toString("base64") })),
  );
  for (const kind of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent(selector, kind, { dataTransfer: transfer });
  }
}

/** Where a file is read: the choice of the start page. */
export const way = (page, name) => page.getByRole("radio", { name }).check();

/** Chooses a file in the picker that an action opens. */
export async function choose(page, action, { name, bytes }, mimeType = "application/octet-stream") {
  const choosing = page.waitForEvent("filechooser");
  await action();
  await (await choosing).setFiles({ name, mimeType, buffer: bytes });
}
