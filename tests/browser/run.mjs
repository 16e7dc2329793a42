// Runs the browser suite: every *.test.mjs of this folder, or those whose name holds an argument.
// It builds nothing. NEFFSCOPE is the server program, CHROMIUM the browser. The files run one
// after the other, because two browsers at once would disturb each other's measurements.
import { readdirSync, rmSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();

if (!process.env.NEFFSCOPE) {
  fail("NEFFSCOPE must name the server program; `cargo xtask test` sets it");
}
if (files.length === 0) {
  fail("no test file has that name");
}
rmSync(folder + "artifacts", { recursive: true, force: true });

let passed = 0;
const results = run({ files: files.map((name) => folder + name), concurrency: false });
results.on("test:pass", ({ details }) => {
  passed += details?.type === "suite" ? 0 : 1;
});
results.on("test:fail", () => {
  process.exitCode = 1;
});
results.on("end", () => {
  if (passed === 0 && !process.exitCode) {
    fail("no test ran");
  }
});
results.compose(new spec()).pipe(process.stdout);

function fail(message) {
  console.error(`browser suite: ${message}`);
  process.exit(1);
}
