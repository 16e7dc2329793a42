// A synthetic NEFF about device memory: subgraphs with virtual variables that overlap and cross pages, and dynamic
// transfers that use them. Written here so that nothing large is kept.
import { writeFileSync } from "node:fs";
import { neff } from "./large.mjs";

const MIB = 1 << 20;
const SLOT = 64;

/** Two subgraphs: overlaps in turns, one variable that crosses a page, one that both share. */
export function writeMemoryNeff(path) {
  const first = {
    variables: {
      x: { type: "input", size: 4 * MIB },
      y: { type: "output", size: 4 * MIB },
      w: { type: "file", size: 96 * MIB },
      scores: { type: "virtual", size: 200 * MIB, off: 0 },
      gathered: { type: "virtual", size: 120 * MIB, off: 100 * MIB },
      packed: { type: "virtual", size: 300 * MIB, off: 400 * MIB },
      logits: { type: "virtual", size: 60 * MIB, off: 330 * MIB },
      agreed: { type: "virtual", size: 64 * MIB, off: 0, slice: "shared" },
    },
    // Source and target of each transfer.
    uses: [["x", "scores"], ["scores", "logits"], ["scores", "packed"], ["packed", "gathered"], ["gathered", "y"], ["logits", "agreed"]],
  };
  const second = {
    variables: {
      x: { type: "input", size: 4 * MIB },
      y: { type: "output", size: 4 * MIB },
      part: { type: "virtual", size: 90 * MIB, off: 0 },
      agreed: { type: "virtual", size: 64 * MIB, off: 0, slice: "shared" },
    },
    uses: [["x", "part"], ["part", "agreed"], ["agreed", "y"]],
  };
  return write(path, [first, second]);
}

/** One subgraph with so many variables: nine of ten virtual, 64 KiB each and 4 KiB apart. */
export function writeManyVariables(path, count) {
  const variables = {};
  for (let at = 0; at < count; at += 1) {
    const own = at % 10 === 9;
    variables[`v${at}`] = own ? { type: "file", size: 4096 } : { type: "virtual", size: 64 << 10, off: at * 4096 };
  }
  return write(path, [{ variables, uses: [["v0", "v1"]] }]);
}

function write(path, subgraphs) {
  const text = (value) => Buffer.from(JSON.stringify(value));
  const graphs = subgraphs.map((_, at) => ({ definition: `sg0${at}/def.json`, name: `sg0${at}` }));
  const node = { op: "tvm_op", name: "n", attrs: { func_name: "__kelf", kelf: "kelf-0.json" } };
  const members = [
    ["kelf-0.json", text({ graphs, version: "0.5", target: "cayman" })],
    ["neff.json", text({ nodes: [node] })],
  ];
  subgraphs.forEach(({ variables, uses }, at) => {
    const ids = {};
    const list = { SB: { type: "state-buffer", var_id: 0 } };
    Object.entries(variables).forEach(([name, { type, size, off, slice }], index) => {
      ids[name] = index + 1;
      list[name] = { type, size, var_id: index + 1 };
      if (off !== undefined) list[name].backing_variable_off = off;
      if (slice) list[name].backing_buf = slice;
      if (type === "file") list[name].file_name = `${name}.bin`;
    });
    members.push([`sg0${at}/SP.bin`, transfers(uses.map((pair) => pair.map((name) => ids[name])))]);
    members.push([`sg0${at}/SP.json`, text({ name: "SP.json", instr: "SP.bin", dma: [] })]);
    members.push([`sg0${at}/def.json`, text({ name: "definition", sp: "SP.json", dma_queue: {}, var: list })]);
  });
  writeFileSync(path, neff(members, "memory"));
  return path;
}

/** Dynamic transfers from one variable to another, four of each. */
function transfers(pairs) {
  const bytes = Buffer.alloc(pairs.length * 4 * SLOT);
  for (let at = 0; at < pairs.length * 4; at += 1) {
    const slot = at * SLOT;
    const [from, to] = pairs[Math.floor(at / 4)];
    bytes.set([0xd4, 0x10], slot);
    for (const [place, id] of [[0x14, from], [0x2c, to]]) {
      bytes.writeUIntLE(id, slot + place, 3);
      bytes[slot + place + 3] = 0x10;
    }
  }
  return bytes;
}
