// A real server for a test: started on a free port, with folders of its own, stopped at the end.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the workspace. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Path of a file of a fixture case. */
export const fixture = (name, file = "input.neff") => join(root, "fixtures/cases", name, file);

const START_MS = 30_000;
const STOP_MS = 5_000;

/**
 * Starts `neffscope serve` with files and further arguments and waits until it listens.
 * The answer has `url` (no slash at the end), `log()` (all it printed) and `stop()`.
 */
export async function startServer({ files = [], args = [] } = {}) {
  const home = mkdtempSync(join(tmpdir(), "neffscope-test-"));
  const env = {
    ...process.env,
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CACHE_HOME: join(home, "cache"),
  };
  const words = ["serve", "--listen", "127.0.0.1:0", ...args, ...files];
  const child = spawn(process.env.NEFFSCOPE, words, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  // Whatever ends this process must not leave the server behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);

  let timer;
  const address = new Promise((resolve, reject) => {
    const refuse = (why) => reject(new Error(`${why}\n${log}`));
    const read = (chunk) => {
      log += chunk;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log);
      if (found) resolve(found[1]);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.once("error", reject);
    child.once("close", (code) => refuse(`the server ended (${code}) before it listened`));
    timer = setTimeout(() => refuse(`the server gave no address in ${START_MS} ms`), START_MS);
  });
  let url;
  try {
    url = await address;
  } catch (error) {
    kill();
    rmSync(home, { recursive: true, force: true });
    throw error;
  } finally {
    clearTimeout(timer);
  }

  return {
    url,
    log: () => log,
    async stop() {
      const patience = setTimeout(kill, STOP_MS);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(patience);
      process.removeListener("exit", kill);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
