/** Chromium for tests of the admin page. Without one they are skipped; where CI says so, they fail. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The shell has no windows, which take a fifth of the processor time of tests. */
const PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const chromiumPath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));

export const hasBrowser = chromiumPath !== undefined || process.env.CI === "true";

/** Parts of Chromium that tests do not need. The switch replaces Playwright's own, whose names are repeated here. */
const DISABLED_FEATURES = [
  // two pages that each window loads behind its URL field, for a second of processor time
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  // Playwright's: those that affect pages, and those that send requests
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", `--disable-features=${DISABLED_FEATURES}`];

/** Throws without a browser. */
export function launchBrowser(): Promise<Browser> {
  if (!chromiumPath) throw new Error(`no Chromium at any of ${PATHS.join(", ")}`);
  return chromium.launch({ executablePath: chromiumPath, args: ARGUMENTS });
}

/** Set in each process of `bun test --parallel`, which runs one file after the other. */
const isWorker = process.env.BUN_TEST_WORKER_ID !== undefined;

let shared: Browser | undefined;

/** A browser for the tests of a file. A process starts one for all its files: that takes as long as a short test. */
export async function openBrowser(): Promise<Browser> {
  if (!isWorker) return launchBrowser();
  if (!shared?.isConnected()) shared = await launchBrowser();
  return shared;
}

/** Closes what a file has opened. A browser that other files may use ends with its process. */
export async function closeBrowser(browser: Browser | undefined): Promise<void> {
  if (!isWorker) return browser?.close();
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}
