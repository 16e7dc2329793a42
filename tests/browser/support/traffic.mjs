// What a page costs on the wire: requests and bytes as sent, counted in a fresh profile.
import { viewport } from "./browser.mjs";

/**
 * Loads an address with an empty cache, waits until the network is quiet, and returns the number
 * of requests, the bytes of their bodies as sent (packed where the server packs them), and a list
 * of both by path, largest first.
 */
export async function firstLoad(browser, url) {
  const context = await browser.newContext({ viewport });
  try {
    const page = await context.newPage();
    const finished = [];
    page.on("requestfinished", (request) => finished.push(request));
    await page.goto(url, { waitUntil: "networkidle" });
    const list = await Promise.all(
      finished.map(async (request) => ({
        path: new URL(request.url()).pathname,
        bytes: (await request.sizes()).responseBodySize,
      })),
    );
    list.sort((a, b) => b.bytes - a.bytes);
    return { requests: list.length, bytes: list.reduce((sum, one) => sum + one.bytes, 0), list };
  } finally {
    await context.close();
  }
}
