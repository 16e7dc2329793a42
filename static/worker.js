// The worker of a page: holds one opened file and answers questions about it, in order. The file's
// bytes are handed over and never leave the browser. The program that reads files comes with the
// worker, so that a page which reads none does not load it.
const version = new URL(import.meta.url).search;

// What went wrong while the program was loaded, if anything did.
let unloaded;

const ready = (async () => {
  const program = await import(`./pkg/worker_wasm.js${version}`);
  await program.default({ module_or_path: new URL(`./pkg/worker_wasm_bg.wasm${version}`, import.meta.url) });
  return program;
})().catch((error) => {
  // The address that some messages end with says nothing to a person.
  unloaded = String(error?.message ?? error).replace(/: https?:\S+$/, "");
});

let last = ready;

async function answer({ what, argument, file }) {
  const program = await ready;
  if (!program) throw new Error("the program is missing");
  switch (what) {
    case "open":
      return program.worker_open(argument, new Uint8Array(await file.arrayBuffer()));
    case "add":
      return program.worker_add(argument, new Uint8Array(await file.arrayBuffer()));
    case "ask":
      return program.worker_ask(argument);
    case "export":
      return program.worker_export(argument);
    case "columns":
      return program.worker_columns(argument);
    default:
      throw new Error(`unknown call ${what}`);
  }
}

self.onmessage = ({ data }) => {
  last = last
    .catch(() => {})
    .then(() => answer(data))
    .then((value) => {
      const bytes = value instanceof Uint8Array ? [value.buffer] : [];
      self.postMessage({ id: data.id, value }, bytes);
    })
    .catch((error) => {
      // The program throws error documents as text; anything else is a fault of the program.
      const text = typeof error === "string" ? error : null;
      self.postMessage({ id: data.id, error: text, unloaded });
    });
};
