// Starts the program. The theme is on the document already; see theme.js.
const version = new URL(import.meta.url).search;
const program = await import(`./pkg/frontend_wasm.js${version}`);
await program.default({ module_or_path: new URL(`./pkg/frontend_wasm_bg.wasm${version}`, import.meta.url) });
program.start(new URLSearchParams(version).get("v") ?? "");
// Listeners stand from here on; the browser suite waits for it.
document.documentElement.dataset.ready = "yes";
