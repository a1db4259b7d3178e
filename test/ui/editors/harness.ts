/** Serves `harness-page.ts` with the policy of the admin page, and opens editors in it. */
import { expect } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { findMediaType, fontFiles } from "../../../src/server/admin/bundle.ts";
import { contentPolicy } from "../../../src/ui/content-policy.ts";
import type { EditorOptions } from "../../../src/ui/editors/editor.ts";
import { patience } from "../../until.ts";
import type { Harness } from "./harness-page.ts";

declare global {
  interface Window {
    harness: Harness;
  }
}

const UI = join(import.meta.dir, "../../../src/ui");

const documentWith = (style: string, script: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Editor</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/${style}"></head>
<body><main><h1>Editor</h1><p id="label">Body</p><div id="editor"></div><button class="button" id="after">After</button></main>
<script type="module" src="/${script}"></script></body></html>`;

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAF0lEQVR4nGNgaGAgCZGmfFTDqIYRqwEAEZuAEAgRMbcAAAAASUVORK5CYII=",
  "base64",
);

export interface EditorServer extends AsyncDisposable {
  readonly url: string;
}

export async function serveEditors(): Promise<EditorServer> {
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>();
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "harness-page.ts"), join(UI, "styles/index.css")],
    target: "browser",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: "[name]-[hash].[ext]",
    // data: URLs are against the policy
    plugins: [fontFiles((name, bytes) => files.set(name, bytes))],
  });
  if (!success) throw new Error(logs.join("\n"));
  for (const output of outputs) files.set(output.path.replace(/^.*\//, ""), await output.text());
  const named = (pattern: RegExp): string => [...files.keys()].find((name) => pattern.test(name))!;
  const page = documentWith(named(/^index-.*css$/), named(/^harness-page-.*js$/));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/picture.png") return new Response(PIXEL, { headers: { "Content-Type": "image/png" } });
      const name = pathname.slice(pathname.lastIndexOf("/") + 1);
      const headers = {
        "Content-Type": findMediaType(name || "index.html"),
        "Content-Security-Policy": contentPolicy([]),
      };
      return new Response(name ? (files.get(name) ?? null) : page, { headers });
    },
  });
  return { url: String(server.url), [Symbol.asyncDispose]: () => server.stop(true) };
}

export type OpenOptions = Partial<Omit<EditorOptions<unknown>, "onChange">>;

export class EditorPage {
  readonly page: Page;
  /** What the browser refused or reported. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, { url }: EditorServer, scheme: "light" | "dark" = "light"): Promise<EditorPage> {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 900, height: 700 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(url).origin });
    const page = await context.newPage();
    page.setDefaultTimeout(patience());
    const editor = new EditorPage(page);
    await page.goto(url);
    await page.waitForFunction(() => "harness" in window);
    return editor;
  }

  async show(name: string, options: OpenOptions): Promise<void> {
    await this.page.evaluate(([module, given]) => window.harness.open(module, given), [name, options] as const);
    await this.page.evaluate(() => window.harness.editor.focus());
  }

  /** The value after the last change; undefined: there was none. */
  value(): Promise<unknown> {
    return this.page.evaluate(() => window.harness.values.at(-1));
  }

  /** Waits for it, and that nothing was refused: what reads HTML, for example, is loaded with the first paste. */
  async expectValue(expected: unknown): Promise<void> {
    const end = Date.now() + patience();
    while (!Bun.deepEquals(await this.value(), expected) && Date.now() < end) await Bun.sleep(10);
    expect(await this.value()).toEqual(expected);
    expect(this.complaints).toEqual([]);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    // where the browser has moved the cursor to is an event of its own
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  }

  /** Types words at the end of a text that has been scrolled away from there; returns whether one sees them. */
  async typeOutOfView(words: string): Promise<boolean> {
    await this.press("Control+End");
    await this.page.mouse.move(300, 300);
    await this.page.mouse.wheel(0, -100_000);
    const line = this.page.getByText(words);
    const isInView = (): Promise<boolean> =>
      line.evaluate((element) => {
        const { left, top, bottom } = element.getBoundingClientRect();
        const shown = (element.getRootNode() as ShadowRoot).elementFromPoint(left + 20, (top + bottom) / 2);
        return shown !== null && (shown === element || element.contains(shown));
      });
    await this.page.waitForFunction(() => scrollY === 0);
    await this.page.keyboard.type(words);
    await line.waitFor();
    for (const end = Date.now() + patience(); Date.now() < end; await Bun.sleep(50)) if (await isInView()) return true;
    return false;
  }

  /** Pastes as the browser does for what another program has copied. */
  async paste(data: Readonly<Record<string, string>>): Promise<void> {
    await this.page.evaluate((given) => {
      const clipboardData = new DataTransfer();
      for (const [type, text] of Object.entries(given)) clipboardData.setData(type, text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    }, data);
  }
}
