/** Chromium for tests of the admin page. Without one they are skipped; where CI says so, they fail. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const chromiumPath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));

export const hasBrowser = chromiumPath !== undefined || process.env.CI === "true";

/** Throws without a browser. */
export function launchBrowser(): Promise<Browser> {
  if (!chromiumPath) throw new Error(`no Chromium at any of ${PATHS.join(", ")}`);
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
