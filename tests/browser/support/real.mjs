// Real files, read where they are; a test that needs one says so and is skipped where it is absent.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./server.mjs";

/** Path of a real NEFF by its folder name, or null. */
export function realFile(name) {
  const folder = process.env.NEFFSCOPE_REAL ?? join(root, "../shared/real");
  const path = join(folder, name, `${name}.neff`);
  return existsSync(path) ? path : null;
}
