// A synthetic NEFF with a very long stream, made here so that nothing large is kept: a bare tar behind
// a header, one subgraph, one engine.
import { writeFileSync } from "node:fs";

const BLOCK = 512;
const HEADER = 1024;
const SLOT = 64;

/** Writes a NEFF whose PE stream has that many records, and returns its path. */
export function writeLargeNeff(path, records) {
  const text = (value) => Buffer.from(JSON.stringify(value));
  writeFileSync(path, neff([
    ["kelf-0.json", text({ graphs: [{ definition: "sg00/def.json", name: "sg00" }], version: "0.5", target: "cayman" })],
    ["neff.json", text({ nodes: [{ op: "tvm_op", name: "n", attrs: { func_name: "__kelf", kelf: "kelf-0.json" } }] })],
    ["sg00/PE.bin", stream(records)],
    ["sg00/PE.json", text({ name: "PE.json", instr: "PE.bin", dma: [] })],
    ["sg00/def.json", text({ name: "definition", pe: "PE.json", dma_queue: {}, var: { SB: { type: "state-buffer", var_id: 0 }, out: { type: "output", var_id: 1, size: 64 } } })],
  ], "large"));
  return path;
}

/** A NEFF of members, given as pairs of name and bytes. */
export function neff(members, name) {
  const tar = Buffer.concat([...members.map(([path, data]) => member(path, data)), Buffer.alloc(2 * BLOCK)]);
  const header = Buffer.alloc(HEADER);
  header.writeBigUInt64LE(1n, 0x00);
  header.writeBigUInt64LE(BigInt(HEADER), 0x08);
  header.writeBigUInt64LE(BigInt(tar.length), 0x10);
  header.writeBigUInt64LE(1n, 0x18);
  header.write(name, 0xdc);
  header.writeUInt32LE(1, 0x228);
  return Buffer.concat([header, tar]);
}

/** LDWEIGHTS, MATMUL with an update, EVENT_SEMAPHORE with a wait, in turn, with moving addresses. */
function stream(records) {
  const bytes = Buffer.alloc(records * SLOT);
  for (let at = 0; at < records; at += 1) {
    const slot = at * SLOT;
    bytes[slot] = [0x01, 0x02, 0xa0][at % 3];
    bytes[slot + 1] = 0x10;
    if (at % 3 === 1) bytes.set([0x13, 5], slot + 6);
    if (at % 3 === 2) bytes.set([5, 5], slot + 4);
    bytes.writeUInt32LE(Math.floor(at / 3) + 1, slot + 8);
    bytes.writeUInt32LE((at * 64) % 0x30000, slot + 0x10);
    bytes[slot + 0x20] = 7;
  }
  return bytes;
}

function member(name, data) {
  const head = Buffer.alloc(BLOCK);
  const octal = (value, digits) => `${value.toString(8).padStart(digits, "0")}\0`;
  head.write(name, 0);
  head.write(octal(0o644, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(data.length, 11), 124);
  head.write(octal(0, 11), 136);
  head.write("        ", 148);
  head.write("0", 156);
  head.write("ustar\0" + "00", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK);
  return Buffer.concat([head, data, padding]);
}
