#!/usr/bin/env bun
/**
 * Takes the README's screenshots of the admin page, in Chromium, of the starter: `.github/screenshots/*.png`. Fails when they are
 * too large together.
 *
 *   bun scripts/screenshots.ts
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { signInLink } from "../src/admin/session/session.ts";
import { createGalley } from "../src/index.ts";
import { writeStarter } from "../src/server/starter.ts";
import { launchBrowser } from "../test/ui/browser.ts";

const OUT = join(import.meta.dir, "../.github/screenshots");
const MAX_BYTES = 300_000;
const SIZE = { width: 980, height: 554 };
const KEY = "a key for screenshots";
const ARTICLES = "/admin/content/api::article.article";

interface Screenshot {
  readonly name: string;
  readonly path: string;
  /** Resolves when everything that the screenshot is to show is there. */
  readonly ready: (page: Page) => Promise<void>;
}

const screenshots: readonly Screenshot[] = [
  {
    name: "list",
    path: `${ARTICLES}?columns=title,author,updatedAt&filters[$and][0][category][name][$ne]=Letters`,
    ready: (page) => page.locator("tbody img").nth(5).waitFor(),
  },
  {
    name: "edit",
    path: ARTICLES,
    ready: async (page) => {
      await page.locator("tbody a").first().click();
      const text = page.locator(".ProseMirror");
      await text.waitFor();
      await text.evaluate((element) => element.closest(".field")?.scrollIntoView({ block: "start" }));
      await page.mouse.wheel(0, -90);
      await page
        .getByRole("button", { name: /^Move / })
        .first()
        .waitFor();
    },
  },
  {
    name: "types",
    path: "/admin/types/api::article.article",
    ready: async (page) => {
      await page
        .getByText("readingMinutes")
        .first()
        .evaluate((row) => row.scrollIntoView({ block: "center" }));
    },
  },
];

/** What is used of an image of the page. */
interface PageImage {
  readonly getBoundingClientRect: () => { readonly top: number };
  readonly decode: () => Promise<void>;
}

/** Resolves when the images in sight are drawn. The network is never idle: events go on. */
const imagesDrawn = (page: Page): Promise<unknown> =>
  page.locator("img").evaluateAll((images, height) => {
    const inSight = (images as unknown as PageImage[]).filter((image) => image.getBoundingClientRect().top < height);
    return Promise.all(inSight.map((image) => image.decode()));
  }, SIZE.height);

const folder = mkdtempSync(join(tmpdir(), "galley-screenshots-"));
const project = join(folder, "magazine");
const browser = await launchBrowser();
try {
  await writeStarter(project);
  await using galley = await createGalley({
    project,
    memory: false,
    admin: true,
    environment: { ADMIN_JWT_SECRET: KEY },
  });
  const address = galley.serve();
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(signInLink(address, KEY, Date.now()));
  await page.getByRole("navigation").first().waitFor();
  mkdirSync(OUT, { recursive: true });
  let bytes = 0;
  for (const { name, path, ready } of screenshots) {
    await page.goto(address + path);
    await ready(page);
    await imagesDrawn(page);
    const file = join(OUT, `${name}.png`);
    await page.screenshot({ path: file });
    bytes += statSync(file).size;
    console.log(file, statSync(file).size);
  }
  if (bytes > MAX_BYTES) throw new Error(`the screenshots have ${bytes} bytes, more than ${MAX_BYTES}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
