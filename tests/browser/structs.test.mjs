// A person looks for a record, follows its pointers, and ends at the bytes of a field: the Structs
// and Bytes views, their pages of variables, queues and transfers, and the same without script.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { accessibilityProblems, openBrowser, withPage } from "./support/browser.mjs";
import { realFile } from "./support/real.mjs";
import { fixture, startServer } from "./support/server.mjs";

let server;
let browser;
let view;
let transfers;
let refused;

before(async () => {
  server = await startServer({
    files: [fixture("functions"), fixture("transfers"), fixture("damaged-json-types")],
  });
  browser = await openBrowser();
  // The start page lists what was opened last first.
  const found = await files(server);
  assert.equal(found.length, 3, "the start page lists all files");
  [refused, transfers, view] = found;
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Addresses of the files that a server has open. */
async function files(of) {
  const start = await fetch(of.url).then((answer) => answer.text());
  return [...start.matchAll(/href="(\/f\/[a-z2-7]+)\/regions"/g)].map((match) => match[1]);
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const granted = { context: { permissions: ["clipboard-read", "clipboard-write"] } };
const field = (page, name) => page.locator(".stc .ft [role=row]", { hasText: name });

test("a search leads to a record, its pointer to a block, a field to its bytes", async () => {
  await withPage(browser, `${server.url}${view}/code?e=POOL`, granted, async (page) => {
    await page.locator(".det:not(.mdet, .tdet) .idh").waitFor();
    await page.keyboard.press("7");
    await page.waitForURL(/\/structs\?.*rec=eib/);
    await page.getByRole("treeitem", { name: /^eib/ }).waitFor();
    // Both trees are there.
    await page.locator(".tree", { hasText: "Runtime records of POOL" }).waitFor();
    await page.locator(".tree", { hasText: "KBIN of sg00" }).waitFor();

    // A value is found, and the record that has it is shown with the field marked.
    await page.keyboard.press("/");
    await page.keyboard.type("accumulate");
    const found = page.getByRole("treeitem", { name: /^functions\.1 function_name accumulate/ });
    await found.waitFor();
    await found.click();
    await page.waitForURL(/rec=functions\.1/);
    await page.locator(".rech", { hasText: "itf_function_t" }).waitFor();
    await page.locator(".ft .found", { hasText: "function_name" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    // The pointer leads to the block, the block to its function, Back to where it started.
    await field(page, "block_ctx_ptrs.buf").getByText("functions.1.blocks.0").click();
    await page.waitForURL(/rec=functions\.1\.blocks\.0/);
    await page.locator(".rech", { hasText: "itf_block_t" }).waitFor();
    await page.goBack();
    await page.locator(".rech", { hasText: "itf_function_t" }).waitFor();
    await page.goForward();
    await page.locator(".rech", { hasText: "itf_block_t" }).waitFor();

    // A field, then its bytes.
    await field(page, "kbin_begin_offset").click({ position: { x: 90, y: 10 } });
    await page.waitForURL(/at=0x10/);
    await page.keyboard.press("h");
    await page.waitForURL(/\/bytes\?.*of=record&name=functions\.1\.blocks\.0&at=0x10&len=0x8/);
    await page.locator(".hexl i.s").first().waitFor();
    assert.equal(await page.locator(".hexl .hxd i.s").count(), 8);
    assert.match(await page.locator(".crumb").innerText(), /kbin_begin_offset @0x10/);
    assert.deepEqual(await accessibilityProblems(page), []);

    await page.keyboard.press("Shift+C");
    await page.locator(".toast", { hasText: "C array copied" }).waitFor();
    const text = await clipboard(page);
    // The function's first record is the sixth of the stream: 5 x 64 = 0x140.
    assert.match(text, /\[8\] = \{\n {4}0x40, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,\n\};/);
  });
});

test("bytes are selected with keys and pointer, and the address tells all of it", async () => {
  let address;
  const start = `${server.url}${view}/bytes?e=POOL&of=stream&at=0x40`;
  await withPage(browser, start, granted, async (page) => {
    await page.locator(".hexl .hxd i.s").first().waitFor();
    await page.locator(".hexl").focus();
    // 0x40 and two more, then a row more.
    for (const key of ["Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown"]) {
      await page.keyboard.press(key);
    }
    await page.waitForURL(/at=0x40&len=0x13/);
    address = page.url();
    await page.keyboard.press("Control+c");
    await page.locator(".toast", { hasText: "Hex copied" }).waitFor();
    assert.equal((await clipboard(page)).split(" ").length, 19);

    // Drag over four bytes of the first row that is shown.
    const byte = (at) => page.locator(`.hexl .hxd [data-b="${at}"]`);
    const [from, to] = [await byte(0).boundingBox(), await byte(3).boundingBox()];
    await page.mouse.move(from.x + 4, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(to.x + 4, to.y + 8, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/at=0x0&len=0x4/);
    // The fields are those of the slot under the cursor, and pointing at one marks its bytes.
    await page.locator(".byt .ft [role=row]", { hasText: "opcode" }).hover();
    await page.locator(".hexl .hxd i.m").first().waitFor();
    // T goes through the readings, the inspector goes and comes back.
    const values = page.locator("#inspector");
    assert.ok(await values.isVisible());
    assert.equal(await values.locator("[aria-current] dt").innerText(), "u32");
    for (const name of ["i32", "f32", "bf16", "fp16", "fp8 e3m4", "fp8 e4m3", "fp8 e5m2", "text", "u32"]) {
      await page.keyboard.press("t");
      await values.locator("[aria-current] dt", { hasText: new RegExp(`^${name}$`) }).waitFor();
    }
    await page.keyboard.press("Shift+T");
    await values.waitFor({ state: "hidden" });
    await page.keyboard.press("Shift+T");
    await values.waitFor();
    // The slot of the stream is a record of the program.
    await page.keyboard.press("j");
    await page.waitForURL(/\/code\?.*e=POOL/);
  });
  await withPage(browser, address, {}, async (page) => {
    await page.locator(".hexl .hxd i.s").first().waitFor();
    assert.equal(await page.locator(".hexl .hxd i.s").count(), 19);
    await page.waitForURL(address);
  });
});

test("members are listed, texts have lines, and the width does not matter", async () => {
  const options = { context: { viewport: { width: 800, height: 900 }, colorScheme: "dark" } };
  await withPage(browser, `${server.url}${view}/bytes?of=header&at=0x10&len=8`, options, async (page) => {
    await page.locator(".byt .ft [aria-selected=true]", { hasText: "data_size" }).waitFor();
    assert.match(await page.locator(".bsub").innerText(), /file 0x10/);
    await page.keyboard.press("/");
    await page.keyboard.type("def.json");
    // Rows are made anew when the answer to the search arrives.
    await page.waitForFunction(() => document.querySelectorAll(".byt [role=option]").length === 1);
    await page.getByRole("option", { name: /def\.json/ }).click();
    await page.waitForURL(/of=member&name=[^&]*def\.json.*as=text/);
    await page.locator(".hexl.astext [role=row]", { hasText: "{" }).first().waitFor();
    assert.match(await page.locator(".bsub").innerText(), /compressed \(gzip\)/);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a program that a loader refuses shows the loader's text, and the rest of its tree", async () => {
  await withPage(browser, `${server.url}${refused}/structs?rec=mem_ref_set`, granted, async (page) => {
    await page.locator(".recf", { hasText: "a loader stops; the rest of the tree is shown" }).waitFor();
    const text = "Invalid owner 'moon' for DMA queue q_gradient_in";
    await page.locator(".recf", { hasText: text }).waitFor();
    const finding = page.locator(".recx .banner.err", { hasText: "kbin.owner" });
    await field(page, "mem[0].mr_type").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // Its place in the definition.
    await finding.getByText("in the file").click();
    await page.waitForURL(/\/bytes\?.*name=[^&]*def\.json&at=0x75/);
  });
});

test("what the file leaves open to its loader is chosen, and the address keeps it", async () => {
  const own = await startServer({ files: [fixture("sg00")] });
  try {
    const [any] = await files(own);
    await withPage(browser, `${own.url}${any}/structs?rec=kbin&at=0x1a0`, {}, async (page) => {
      const foot = page.locator(".recf");
      await foot.getByText("target CAYMAN").waitFor();
      const library = page.getByRole("treeitem", { name: /^ucode_lib\.0/ });
      assert.equal(await library.count(), 0);
      await foot.getByLabel("Device").selectOption("sunda");
      await foot.getByText("target SUNDA").waitFor();
      await page.waitForURL(/device=sunda/);
      await library.waitFor();
    });
  } finally {
    await own.stop();
  }
});

test("both views are documents without script", async () => {
  const get = (path) => fetch(`${server.url}${view}${path}`).then((answer) => answer.text());
  assert.match(await get("/structs?e=POOL&rec=functions.1"), /accumulate/);
  assert.match(await get("/structs?rec=mem_ref_set"), /gradient_out/);
  const of = (name) => fetch(`${server.url}${transfers}/structs?rec=${name}`).then((one) => one.text());
  assert.match(await of("queue.q_long"), /16,777,221 of 16,777,200 descriptors in each hardware queue/);
  assert.match(await of("variable.spill"), /page 0x/);
  assert.match(await of("transfer.ring.q_load.0.1"), /0xfc0\.\.0x1040, 128 bytes/);
  // What an address names and is not there is told in the view, whose list stays.
  for (const path of ["/structs?rec=functions.77", "/structs?rec=ring.none.0", "/bytes?of=member&name=none"]) {
    const answer = await fetch(`${server.url}${view}${path}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, path);
    assert.match(text, /(record|bytes)\.unknown/, path);
    assert.match(text, /mem_ref_set|def\.json/, path);
  }
  const bytes = readFileSync(fixture("functions"));
  const first = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  assert.ok((await get("/bytes?of=header")).includes(first));
});

const line = (page, text) => page.locator(".sheet [role=row]", { hasText: text });

test("a queue that is too long is traced to its tensor, and the tensor to the slot that moves it", async () => {
  await withPage(browser, `${server.url}${transfers}/structs?rec=kbin`, granted, async (page) => {
    // The findings name the queue; their links lead to its page.
    const finding = page.locator(".recx .banner", { hasText: "kbin.queue-size" });
    await finding.getByRole("button", { name: "q_long", exact: true }).click();
    await page.waitForURL(/rec=queue\.q_long/);
    await page.locator(".drw .bad", { hasText: "21 too many" }).waitFor();
    await page.locator(".rech", { hasText: "DATA queue" }).waitFor();
    await line(page, "queue size too large").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    // The page begins with what a loader says. The variable that needs most; with keys alone.
    await line(page, "kbin.queue-size").waitFor();
    await page.locator(".sheet").focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 7; step += 1) await page.keyboard.press("ArrowDown");
    await page.locator(".sheet [aria-selected=true]", { hasText: "16,777,216" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/rec=variable\.table/);
    await page.locator(".rech", { hasText: "INPUT variable" }).waitFor();
    await line(page, "of q_long block 0").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);

    // The slot that triggers the block, in Code, and back.
    await line(page, "triggers block 0 of q_long").getByText("POOL IP 3").click();
    await page.waitForURL(/\/code\?.*e=POOL.*ip=3|\/code\?.*e=POOL.*slot=/);
    await page.locator(".det:not(.mdet, .tdet) .idh", { hasText: "POOL" }).waitFor();
    await page.goBack();
    await page.locator(".rech", { hasText: "INPUT variable" }).waitFor();
    // Its record, at the row of the variable: 24 + 4 x 152 = 0x278.
    await page.locator(".rech").getByText("its mem_ref").click();
    await page.waitForURL(/rec=mem_ref_set&at=0x278/);
    await page.locator(".ft [aria-selected=true]", { hasText: "mem[4].mr_type" }).waitFor();
  });
});

test("a descriptor is drawn to scale, with what is out of bounds and what overlaps", async () => {
  const start = `${server.url}${transfers}/structs?rec=ring.q_load.0`;
  await withPage(browser, start, granted, async (page) => {
    // From the record to the drawing of its first descriptor.
    await field(page, "desc[0].desc_type").getByText("drawn").click();
    await page.waitForURL(/rec=transfer\.ring\.q_load\.0\.0/);
    // Rows of 16 bytes every 256, 8 times: 8 marks, the second at 256 / 4,096 of 1,000.
    const first = page.locator(".drw .band").first();
    await first.locator("rect.src").nth(7).waitFor();
    assert.equal(await first.locator("rect.src").count(), 8);
    assert.equal(await first.locator("rect.src").nth(1).getAttribute("x"), "62.500");
    assert.match(await first.locator("svg").getAttribute("aria-label"), /image, 4,096 bytes/);
    assert.deepEqual(await accessibilityProblems(page), []);
  });
  const bad = `${server.url}${transfers}/structs?rec=transfer.ring.q_load.0.1`;
  await withPage(browser, bad, granted, async (page) => {
    await page.locator(".drw rect.out").waitFor();
    await page.locator(".drw .band", { hasText: "64 beyond its end" }).waitFor();
    // Both places are linked: the descriptor and the variable.
    const fault = page.locator(".drw .banner", { hasText: "kbin.pattern-bounds" });
    await fault.getByText("image in the file").click();
    await page.waitForURL(/\/bytes\?.*of=member&name=[^&]*def\.json&at=0xae/);
    await page.goBack();
    await page.locator(".drw .banner").getByText("in the file", { exact: true }).click();
    await page.waitForURL(/\/bytes\?.*of=member&name=[^&]*pool\.json&at=0x/);
  });
  const over = `${server.url}${transfers}/structs?rec=transfer.ring.q_load.0.2`;
  const dark = { context: { viewport: { width: 800, height: 900 }, colorScheme: "dark" } };
  await withPage(browser, over, dark, async (page) => {
    await page.locator(".drw .band", { hasText: "32 bytes are read and written" }).waitFor();
    await page.locator(".drw rect.shared").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("a variable leads to its place, the state buffer and the slots that read there", async () => {
  await withPage(browser, `${server.url}${transfers}/code?e=PE`, granted, async (page) => {
    await page.locator(".det:not(.mdet, .tdet) .idh").waitFor();
    await page.keyboard.press("7");
    await page.getByRole("treeitem", { name: /^spill/ }).click();
    await page.waitForURL(/rec=variable\.spill/);
    await line(page, "on a page of the scratchpad").waitFor();
    await line(page, "page 0 at 0x2000").waitFor();
    await line(page, "partitions 0 to 127, filled from it").waitFor();
    // PE's first record reads 0x1000, its second does not.
    const reads = line(page, "the bytes serve other variables too");
    assert.equal(await reads.count(), 1);
    assert.match(await reads.innerText(), /PE IP 1/);
    assert.ok(await reads.locator(".g-inf").count(), "it is shown as inferred");
    // The transfer that is a row too far.
    await page.locator(".sheet .wrong").getByText("drawn").click();
    await page.waitForURL(/rec=transfer\.SP\.2/);
    await page.locator(".drw .band", { hasText: "256 beyond its end" }).waitFor();
    // H shows the record's bytes in the stream.
    await page.locator(".sheet").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("h");
    await page.waitForURL(/\/bytes\?.*e=SP.*of=stream&at=0x40/);
  });
});

test("real files: what moves a variable is found and drawn", async (context) => {
  const path = realFile("matmul_small");
  if (!path) return context.skip("no real files here");
  const real = await startServer({ files: [path] });
  try {
    const [own] = await files(real);
    await withPage(browser, `${real.url}${own}/structs?rec=kbin`, granted, async (page) => {
      await page.locator(".tree [role=treeitem]", { hasText: "qSPDynamicHW" }).first().click();
      await page.waitForURL(/rec=queue\.qSPDynamicHW/);
      await line(page, "a direct transfer").first().getByText("drawn").click();
      await page.waitForURL(/rec=transfer\.SP\./);
      await page.locator(".drw .band", { hasText: "128 partitions" }).waitFor();
      await page.locator(".sheet [role=row]", { hasText: "variable" }).first().locator(".go").click();
      await page.waitForURL(/rec=variable\./);
      await page.locator(".rech", { hasText: "variable" }).waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);
    });
  } finally {
    await real.stop();
  }
});

test("Enter right behind the typed text opens the first record that is found", async () => {
  await withPage(browser, `${server.url}${view}/structs?e=POOL&rec=kbin`, granted, async (page) => {
    await page.locator(".rech", { hasText: "kbin_t" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("accumulate");
    await page.keyboard.press("Enter");
    await page.waitForURL(/rec=functions\.1/);
    await page.locator(".rech", { hasText: "itf_function_t" }).waitFor();
    await page.getByRole("treeitem", { name: /^functions\.1 /, selected: true }).waitFor();
  });
});

test("a trigger leads to the drawing of what it starts, and the drawing back to it", async () => {
  const start = `${server.url}${transfers}/code?s=sg00&e=POOL&ip=2`;
  await withPage(browser, start, granted, async (page) => {
    const details = page.locator(".det:not(.mdet, .tdet)");
    const drawn = details.getByRole("button", { name: "ring.q_load.0.1", exact: true });
    await drawn.waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // With keys alone.
    await drawn.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/structs\?.*rec=transfer\.ring\.q_load\.0\.1/);
    await page.locator(".drw .band").first().waitFor();
    await line(page, "triggers block 1 of q_load").getByText("POOL IP 2").click();
    await page.waitForURL(/\/code\?.*e=POOL/);
    await drawn.waitFor();
    await page.goBack();
    await page.waitForURL(/rec=transfer\.ring\.q_load\.0\.1/);
    // A record that moves bytes itself leads to its own drawing.
    await page.goto(`${server.url}${transfers}/code?s=sg00&e=SP&ip=2`);
    await details.getByRole("button", { name: "its drawing", exact: true }).click();
    await page.waitForURL(/rec=transfer\.SP\.2/);
    await page.locator(".drw .band", { hasText: "256 beyond its end" }).waitFor();
  });
});

test("a value inside the rows of a record is found, and the link leads to its field", async () => {
  await withPage(browser, `${server.url}${transfers}/structs?rec=kbin`, granted, async (page) => {
    await page.locator(".rech", { hasText: "kbin_t" }).waitFor();
    await page.keyboard.press("/");
    // The variable `table` of 67,108,864 bytes is row 4: its size is at 24 + 4 x 152 + 16 = 0x288.
    await page.keyboard.type("0x4000000");
    const hit = page.getByRole("treeitem", { name: /mem\[4\]\.size 67108864/ });
    await hit.waitFor();
    assert.match(await page.locator(".stc .ph [role=status]").innerText(), /1 field found/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await hit.click();
    await page.waitForURL(/rec=mem_ref_set&at=0x288/);
    await page.locator(".ft [aria-selected=true]", { hasText: "mem[4].size" }).waitFor();
    // Nothing is found: the list says so.
    await page.keyboard.press("/");
    await page.locator("#record-search").fill("zzzz");
    await page.locator(".none1", { hasText: "zzzz" }).waitFor();
  });
});

test("a link scrolls the list to its record, and bytes to theirs", async () => {
  const low = { context: { viewport: { width: 1600, height: 400 } } };
  // A row can be made anew while it is looked at, so that it is looked for each time.
  const seen = (page, selector) =>
    page.waitForFunction((selector) => {
      const rows = [...document.querySelectorAll(selector)];
      const row = rows.find((one) => one.textContent.includes("ring.q_long.0"));
      let scroller = row?.parentElement;
      while (scroller && scroller.scrollHeight <= scroller.clientHeight) scroller = scroller.parentElement;
      if (!scroller) return false;
      const [box, list] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()];
      return box.top >= list.top && box.bottom <= list.bottom + 1;
    }, selector);
  await withPage(browser, `${server.url}${transfers}/structs?rec=ring.q_long.0&at=0x108`, low, async (page) => {
    await seen(page, "[role=treeitem][aria-selected=true]");
    await page.locator(".ft [aria-selected=true]", { hasText: "desc[0].desc_type" }).waitFor();
  });
  await withPage(browser, `${server.url}${transfers}/bytes?of=kbin&name=ring.q_long.0&at=0x110&len=4`, low, async (page) => {
    await page.locator(".hexl .hxd i.s").first().waitFor();
    await seen(page, ".srcs .vr2.sel");
    // Down to the field, by way of its row.
    assert.match(await page.locator(".crumb").innerText(), /desc\[0\][\s\S]*desc\[0\]\.to\.idx @0x110/);
  });
});

test("what is not there is said, with what there is", async () => {
  const missing = { ...granted, expected: [/404/] };
  await withPage(browser, `${server.url}${transfers}/structs?rec=ring.none.0`, missing, async (page) => {
    await page.locator(".rech [role=alert]", { hasText: "record.unknown" }).waitFor();
    await page.locator(".gone").getByRole("button", { name: "ring.q_load.0" }).click();
    await page.waitForURL(/rec=ring\.q_load\.0/);
    await page.locator(".rech", { hasText: "kbin_dma_ring_instance_t" }).waitFor();
  });
  await withPage(browser, `${server.url}${transfers}/structs?rec=kbin&at=0x500`, missing, async (page) => {
    await page.locator(".rech [role=alert]", { hasText: "0x0..0x1a8, 424 bytes" }).waitFor();
  });
  await withPage(browser, `${server.url}${transfers}/bytes?of=kbin&name=kbin&at=0x500`, missing, async (page) => {
    await page.locator(".hexp [role=alert]", { hasText: "none at 0x500" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Show it from byte 0" }).click();
    await page.locator(".hexl .hxd i.s").first().waitFor();
  });
  // Of a selection that reaches beyond the end the rest is told of.
  await withPage(browser, `${server.url}${transfers}/bytes?of=kbin&name=kbin&at=0x1a0&len=0x20`, granted, async (page) => {
    await page.locator(".hexl .hxd i.s").first().waitFor();
    assert.equal(await page.locator(".hexl .hxd i.s").count(), 8);
    await page.getByText("asks for 0x1a0..0x1c0, 32 bytes").first().waitFor();
  });
});

test("headers and instructions are read field by field, in both directions", async () => {
  await withPage(browser, `${server.url}${view}/bytes?of=tar&at=0x7c`, granted, async (page) => {
    const field = (name) => page.locator(".byt .ft [role=row]", { hasText: name });
    await page.locator(".byt .ft [aria-selected=true]", { hasText: "size" }).waitFor();
    // Bytes 124 to 135 are the size; pointing at one marks the field, at the field its bytes.
    await page.locator('.hexl .hxd [data-b="148"]').hover();
    await page.locator(".byt .ft .hit", { hasText: "chksum" }).waitFor();
    await field("typeflag").hover();
    await page.locator('.hexl .hxd i.m[data-b="156"]').waitFor();
    await page.locator('.hexl .hxd [data-b="100"]').click();
    await page.locator(".byt .ft [aria-selected=true]", { hasText: "mode" }).waitFor();
    assert.match(await page.locator(".crumb").innerText(), /mode @0x64/);
  });
  // The second instruction of POOL: 320 + 64.
  await withPage(browser, `${server.url}${view}/bytes?of=kbin&name=engine.POOL&at=0x180`, granted, async (page) => {
    await page.locator(".byt .ft [aria-selected=true]", { hasText: "opcode" }).waitFor();
    assert.match(await page.locator(".crumb").innerText(), /instr\[1\]/);
    // The header's fields are there too.
    await page.locator(".byt .ft [role=row]", { hasText: "eng_type" }).waitFor({ state: "attached" });
  });
  await withPage(browser, `${server.url}${view}/structs?e=POOL&rec=engine.POOL`, granted, async (page) => {
    const first = field(page, "instr[0]");
    await first.waitFor();
    assert.doesNotMatch(await first.innerText(), /[0-9a-f]{32}/, "words, not digits");
    await first.getByText("IP 1", { exact: true }).click();
    await page.waitForURL(/\/code\?.*e=POOL/);
  });
});
