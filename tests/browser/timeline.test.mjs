// A person looks at what happened when, from the profile of a run, and goes to the code and back.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityProblems, drop, openBrowser, way, withPage } from "./support/browser.mjs";
import { fixture, startServer } from "./support/server.mjs";

const neff = { name: "functions.neff", bytes: readFileSync(fixture("functions")) };
const pair = { name: "pair.neff", bytes: readFileSync(fixture("collective-all-reduce-2")) };
let server;
let browser;
let ntff;

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), "neffscope-timeline-"));
  const file = join(folder, "run.ntff");
  const maker = join(dirname(process.env.NEFFSCOPE), "make-capture");
  execFileSync(maker, [fixture("functions"), "cayman-r2.27", file, "3"]);
  ntff = { name: "run.ntff", bytes: readFileSync(file) };
  rmSync(folder, { recursive: true });
  server = await startServer();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const heads = (page) => page.locator(".theads [data-trow]");
const details = (page) => page.locator(".tdet");

async function opened(page, files) {
  await way(page, /Read in this browser/);
  await drop(page, "#drop", files);
  await page.waitForURL(/\/local\/regions/);
  await page.locator(".strips > svg[role=group]").waitFor();
}

test("tracks, an event, its code, and back", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [ntff, neff]);
    await page.locator(".stat", { hasText: "capture run.ntff" }).waitFor();
    await page.keyboard.press("6");
    await page.waitForURL(/\/local\/timeline/);
    await heads(page).first().waitFor();
    const names = await heads(page).locator("b").allTextContents();
    assert.deepEqual(names.slice(0, 5), ["PE", "ACT", "POOL", "DVE", "SP"]);
    assert.ok(names.includes("sem[10]"), names.join());
    // The first and the last event of PE; the last is a start without an end.
    await page.locator(".theads").focus();
    await page.keyboard.press("End");
    await details(page).getByText("its end is not in the trace").waitFor();
    await page.keyboard.press("Home");
    await details(page).getByText("PE · event 1", { exact: true }).waitFor();
    await details(page).getByText("Executions of this slot: 3").waitFor();
    await page.keyboard.press("ArrowRight");
    await details(page).getByText("PE · event 2", { exact: true }).waitFor();
    await page.keyboard.press("F");
    await page.waitForURL(/[?&]t=\d+-\d+/);
    await page.keyboard.press("R");
    await page.waitForURL(/[?&]range=/);
    await page.locator(".tsums h3", { hasText: "Range" }).waitFor();
    await page.keyboard.press("T");
    await page.locator(".ttable tbody tr").first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("T");
    await page.locator(".tboard").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.locator(".theads").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/local\/code\?.*slot=1(&|$)/);
    await page.goBack();
    await page.waitForURL(/\/local\/timeline/);
  });
});

test("without a capture the simulated run is shown, and a link restores it", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    // From the server, so that an address can be opened anew.
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [pair]);
    await page.waitForURL(/\/f\/\w+\/regions/);
    await page.locator(".strips > svg[role=group]").waitFor();
    await page.keyboard.press("6");
    await heads(page).first().waitFor();
    await page.locator(".tbadge .badge", { hasText: "modelled" }).waitFor();
    const captured = page.locator(".tsource button", { hasText: "Captured" });
    assert.ok(await captured.isDisabled());
    await page.locator(".tmain .ph .sub", { hasText: "finished" }).waitFor();
    const names = await heads(page).locator("b").allTextContents();
    assert.deepEqual(names.slice(0, 6), ["PE", "ACT", "POOL", "DVE", "SP", "q_gradient_in"]);
    assert.ok(names.includes("TOP_SP 8"), names.join());
    await page.locator(".theads").focus();
    await page.keyboard.press("Home");
    await details(page).getByText("PE · event 1", { exact: true }).waitFor();
    await details(page).getByText(/Executions of this slot: \d/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // A change of a semaphore leads to the record that made it, and that one back to it.
    await page.locator('[data-trow="sem[2]"]').click();
    await page.locator(".theads").focus();
    await page.keyboard.press("Home");
    await details(page).getByText("sem[2] · event 1", { exact: true }).waitFor();
    await details(page).locator(".tlink", { hasText: "Depends on" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("[");
    await details(page).getByText(/^(PE|ACT|POOL|DVE|SP) · event \d+$/).waitFor();
    await page.keyboard.press("]");
    await details(page).getByText("sem[2] · event 1", { exact: true }).waitFor();
    // Another run of the Run view is the one that is shown, and the address keeps it.
    await page.keyboard.press("8");
    await page.locator("#run-inferences").fill("2");
    await page.locator("#run-inferences").press("Enter");
    await page.locator(".rout", { hasText: "2 inferences" }).waitFor();
    await page.locator(".runv [data-do=timeline]").click();
    await page.waitForURL(/\/timeline\?.*trace=simulated.*inferences=2/);
    const twice = page.locator(".tmain .ph .sub", { hasText: /^22\.78\d* µs · \d+ events · finished/ });
    await twice.waitFor();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await twice.waitFor();
  });
});

test("rows stay on top and times stay marked, and a link keeps both", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await way(page, /Upload to this server/);
    await drop(page, "#drop", [pair]);
    await page.waitForURL(/\/f\/\w+\/regions/);
    await page.locator(".strips > svg[role=group]").waitFor();
    await page.keyboard.press("6");
    await heads(page).first().waitFor();
    const order = () => heads(page).locator("b").allTextContents();
    // By key the row of the cursor, by button any row; the last row of all is out of sight at first.
    await page.locator(".theads").focus();
    await page.keyboard.press("p");
    await page.waitForURL(/[?&]pin=PE(&|$)/);
    const last = (await order()).at(-1);
    const tail = heads(page).last();
    await tail.scrollIntoViewIfNeeded();
    await tail.hover();
    await tail.locator(".tpin").click();
    await page.waitForURL(/pin=PE&pin=/);
    assert.deepEqual((await order()).slice(0, 3), ["PE", last, "ACT"]);
    // What is pinned is in sight wherever the list is.
    const top = await heads(page).first().boundingBox();
    const scroller = await page.locator(".tscroll").boundingBox();
    assert.equal(Math.round(top.y - scroller.y), 26);
    assert.ok((await page.locator(".tscroll").evaluate((list) => list.scrollTop)) > 0);
    // The first event for good, the second one for now.
    await page.locator(".theads").focus();
    await page.keyboard.press("Home");
    await details(page).getByText("PE · event 1", { exact: true }).waitFor();
    await page.keyboard.press("Shift+M");
    await page.waitForURL(/[?&]tm=\d+-\d+(&|$)/);
    await page.keyboard.press("ArrowRight");
    await details(page).getByText("PE · event 2", { exact: true }).waitFor();
    await page.keyboard.press("m");
    const marks = details(page).locator(".tmarks li");
    await marks.nth(1).waitFor();
    assert.deepEqual(await marks.locator(".tno").allTextContents(), ["1", "for now"]);
    assert.equal(await page.locator(".tflag").count(), 2);
    assert.deepEqual(await accessibilityProblems(page), []);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await heads(page).first().waitFor();
    assert.deepEqual((await order()).slice(0, 3), ["PE", last, "ACT"]);
    assert.equal(await page.locator(".tflag").count(), 1);
    await marks.locator("[data-gone]").click();
    await page.waitForURL((url) => !url.searchParams.has("tm"));
    assert.equal(await page.locator(".tflag").count(), 0);
    await page.keyboard.press("Escape");
    await page.locator(".theads").focus();
    await page.keyboard.press("p");
    await page.waitForURL((url) => url.searchParams.getAll("pin").join() === last);
  });
});

test("a captured and a simulated run of one program, one key apart", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [ntff, neff]);
    await page.keyboard.press("6");
    await heads(page).first().waitFor();
    await page.locator(".tmain .ph .sub", { hasText: "records" }).waitFor();
    await page.keyboard.press("v");
    await page.waitForURL(/trace=simulated/);
    await page.locator(".tmain .ph .sub", { hasText: "finished" }).waitFor();
    await page.locator(".tsource button", { hasText: "Captured" }).click();
    await page.waitForURL(/trace=captured/);
    await page.locator(".tmain .ph .sub", { hasText: "records" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("the timeline is saved for other tools, and handed to Perfetto's page", async () => {
  await withPage(browser, `${server.url}/`, {}, async (page) => {
    await opened(page, [ntff, neff]);
    await page.keyboard.press("6");
    await heads(page).first().waitFor();
    const save = async (choice) => {
      await page.locator(".texport > summary").click();
      const waiting = page.waitForEvent("download");
      await page.locator(".tsave button", { hasText: choice }).click();
      const file = await waiting;
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };
    await page.locator(".texport > summary").click();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.locator(".texport > summary").click();
    const table = await save(/^Table/);
    assert.equal(table.name, "sg00.csv");
    const lines = table.bytes.toString().trimEnd().split("\r\n");
    // The second instruction of PE starts 100 ns after the first and lasts 60 ns.
    assert.match(lines[2], /^engines,PE,0,1,100000,60000,/);
    const trace = await save(/^Perfetto/);
    assert.equal(trace.name, "sg00.pftrace");
    assert.equal(trace.bytes[0], 0x0a);
    const events = JSON.parse((await save(/^Trace Event/)).bytes).traceEvents;
    const begun = events.filter((event) => event.ph !== "M").length;
    assert.equal(begun, lines.length - 1);
    await page.locator(".toast", { hasText: "Saved as sg00.trace.json" }).waitFor();

    // A page that answers as Perfetto's does: it listens a while after it was opened.
    await page.context().route("https://ui.perfetto.dev/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<script>
          let pings = 0;
          onmessage = ({ data, source, origin }) => {
            if (data === "PING") {
              if (++pings > 2) source.postMessage("PONG", origin);
              return;
            }
            const { buffer, title, fileName } = data.perfetto;
            const first = new Uint8Array(buffer)[0];
            document.title = [title, fileName, buffer.byteLength, first].join("|");
          };
        </script>`,
      }),
    );
    await page.locator(".texport > summary").click();
    const popup = page.context().waitForEvent("page");
    await page.locator(".tsave button", { hasText: /^Open in Perfetto/ }).click();
    const perfetto = await popup;
    await perfetto.waitForFunction(() => document.title.includes("|"));
    assert.equal(await perfetto.title(), `sg00 in neffscope|sg00.pftrace|${trace.bytes.length}|10`);
    await page.locator(".toast", { hasText: "Perfetto has the trace" }).waitFor();
  });
});
