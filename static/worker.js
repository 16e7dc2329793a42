// The worker of a page: holds one opened file and answers questions about it, in order. The file's
// bytes are handed over and never leave the browser.
const version = new URL(import.meta.url).search;

const ready = (async () => {
  const program = await import(`./pkg/frontend_wasm.js${version}`);
  await program.default({ module_or_path: new URL(`./pkg/frontend_wasm_bg.wasm${version}`, import.meta.url) });
  return program;
})();

let last = ready;

async function answer({ what, argument, file }) {
  const program = await ready;
  switch (what) {
    case "open":
      return program.worker_open(argument, new Uint8Array(await file.arrayBuffer()));
    case "add":
      return program.worker_add(argument, new Uint8Array(await file.arrayBuffer()));
    case "ask":
      return program.worker_ask(argument);
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
      self.postMessage({ id: data.id, error: text });
    });
};
