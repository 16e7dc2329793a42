// A synthetic NEFF with very many variables, made here so that nothing large is kept.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { neff } from "./large.mjs";

/** One subgraph with so many variables: nine of ten virtual, 64 KiB each and 4 KiB apart. */
export function writeManyVariables(path, count) {
  const list = { SB: { type: "state-buffer", var_id: 0 } };
  for (let at = 0; at < count; at += 1) {
    const own = at % 10 === 9 ? { type: "tmp-buf", size: 4096 } : { type: "virtual", size: 64 << 10, backing_variable_off: at * 4096 };
    list[`v${at}`] = { ...own, var_id: at + 1 };
  }
  list.y = { type: "output", size: 4096, var_id: count + 1 };
  return write(path, list);
}

/** Eight virtual variables with names of 150 letters that differ at their ends; two share bytes. */
export function writeLongNames(path) {
  const list = { SB: { type: "state-buffer", var_id: 0 } };
  for (let at = 1; at <= 8; at += 1) {
    const name = `model.layers.${"decoder.attention.".repeat(7)}scores_0${at}`;
    list[name] = { type: "virtual", size: at * (8 << 20), backing_variable_off: (at === 8 ? 0 : (at * (at - 1)) / 2) * (8 << 20), var_id: at };
  }
  list.y = { type: "output", size: 4096, var_id: 9 };
  return write(path, list);
}

/** A file with one virtual variable: `no-output` is refused by a loader, the need of `negative` is not known. */
export function writeOdd(folder, name) {
  const v = { type: "virtual", size: name === "negative" ? -1 : 1 << 20, var_id: 1 };
  const list = { SB: { type: "state-buffer", var_id: 0 }, v };
  if (name !== "no-output") list.y = { type: "output", size: 4096, var_id: 2 };
  return write(join(folder, `${name}.neff`), list);
}

/** What a loader requires of a definition for cayman. */
const reserved = { type: "evtaccel", offset: 229_368, size: 8, base_partition: 0, partitions: 128 };

function write(path, list) {
  const text = (value) => Buffer.from(JSON.stringify(value));
  const node = { op: "tvm_op", name: "n", attrs: { func_name: "__kelf", kelf: "kelf-0.json" } };
  writeFileSync(path, neff([
    ["kelf-0.json", text({ graphs: [{ definition: "sg00/def.json", name: "sg00" }], version: "0.5", target: "cayman" })],
    ["neff.json", text({ nodes: [node] })],
    ["sg00/SP.bin", Buffer.alloc(64)],
    ["sg00/SP.json", text({ name: "SP.json", instr: "SP.bin", dma: [] })],
    ["sg00/def.json", text({
      name: "definition", sp: "SP.json", dma_queue: {}, var: list,
      runtime_statebuffer_reservation: [reserved],
    })],
  ], "many"));
  return path;
}
