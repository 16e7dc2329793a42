// Runs the browser suite: every *.test.mjs of this folder, or those whose name holds an argument.
// It builds nothing. NEFFSCOPE is the server program, CHROMIUM the browser. The files run one
// after the other, because two browsers at once would disturb each other's measurements.
//
// A machine under load can make a browser miss a step that no person would miss. Files with at most
// two failures in all are therefore run once more, and a test that then passes is called unsteady:
// it is named at the end with what went wrong, so that it is mended, but does not fail the suite.
import { readdirSync, rmSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const MOST_AGAIN = 2;

const folder = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort()
  .map((name) => folder + name);

if (!process.env.NEFFSCOPE) {
  fail("NEFFSCOPE must name the server program; `cargo xtask test` sets it");
}
if (files.length === 0) {
  fail("no test file has that name");
}
rmSync(folder + "artifacts", { recursive: true, force: true });

const first = await pass(files);
const again = [...new Set(first.failed.map(({ file }) => file))];
let { passed, failed } = first;
if (failed.length > 0 && failed.length <= MOST_AGAIN && again.every(Boolean)) {
  const second = await pass(again);
  failed = second.failed;
  passed += first.failed.filter((test) => !failed.some((other) => same(test, other))).length;
  for (const { name, why } of first.failed.filter((test) => !failed.some((other) => same(test, other)))) {
    console.log(`\nunsteady: ${name}\n${why}`);
  }
}
if (passed === 0 && failed.length === 0) {
  fail("no test ran");
}
for (const { name, why } of failed) {
  console.log(`\nfailed: ${name}\n${why}`);
}
console.log(`\n# pass ${passed}\n# fail ${failed.length}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs test files, shows what happens, and gives the number that passed and those that failed. */
async function pass(files) {
  let passed = 0;
  const failed = [];
  const results = run({ files, concurrency: false });
  results.on("test:pass", ({ details }) => {
    passed += details?.type === "suite" ? 0 : 1;
  });
  results.on("test:fail", ({ name, file, details }) => {
    const error = details?.error?.cause ?? details?.error;
    failed.push({ name, file, why: error?.stack ?? String(error) });
  });
  // The closing numbers are printed once, above.
  const shown = results.compose(async function* (events) {
    for await (const event of events) {
      if (event.type !== "test:diagnostic" && event.type !== "test:summary") yield event;
    }
  });
  for await (const text of shown.compose(new spec())) process.stdout.write(text);
  return { passed, failed };
}

function same(one, other) {
  return one.file === other.file && one.name === other.name;
}

function fail(message) {
  console.error(`browser suite: ${message}`);
  process.exit(1);
}
