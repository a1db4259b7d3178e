/** The admin page of a small project in a browser, signed in. */
import { afterAll, beforeAll } from "bun:test";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { signInLink } from "../../../src/admin/session/session.ts";
import { createGalley, type Galley } from "../../../src/index.ts";
import { projectFolder } from "../../project.ts";
import { closeBrowser, openBrowser } from "../../ui/browser.ts";
import { patience } from "../../until.ts";

export const KEY = "a key for tests of the page";

export interface AdminServer {
  readonly galley: Galley;
  readonly address: string;
  readonly root: string;
  /** A new server at the same address, over the same database. */
  readonly restart: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

export async function serveAdmin(files: Readonly<Record<string, string>>): Promise<AdminServer> {
  const { root, remove } = projectFolder(files);
  const open = () =>
    createGalley({ project: root, memory: false, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  let galley = await open();
  const address = galley.serve();
  return {
    get galley() {
      return galley;
    },
    address,
    root,
    restart: async () => {
      await galley.close();
      galley = await open();
      galley.serve(Number(new URL(address).port));
    },
    [Symbol.asyncDispose]: async () => {
      await galley.close();
      remove();
    },
  };
}

/** Refusals that a test provokes, and requests that were given up. */
const EXPECTED =
  /Failed to load resource: (the server responded with a status of 4|net::ERR_(CONNECTION|ABORTED|INTERNET))/;

/** Between two keys: faster than a person types. */
const KEY_MS = 25;

/** Something that the page does not show by then, on a machine with nothing else to do, it never does. */
const SHOWN_MS = 30_000;

/**
 * Runs in the page. Returns whether it could. Messages are closed, and in between nothing of a view is left that is the same in the
 * next one, as on a page that is loaded.
 */
const SHOW = `async (path) => {
  const isUnsaved = !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  if (isUnsaved || document.querySelector("dialog[open], [role=menu]") || !document.querySelector("nav")) return false;
  for (const next of ["/admin/nothing", path]) {
    history.pushState(null, "", next);
    dispatchEvent(new PopStateEvent("popstate"));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    // also those of what was left unsaved
    for (const button of document.querySelectorAll(".toast [aria-label='Close this message']")) button.click();
  }
  return true;
}`;

type PageOptions = Pick<BrowserContextOptions, "colorScheme" | "reducedMotion">;

/** A window of a signed-in browser. `complaints`: what the browser reports, the page's policy included. */
export class AdminPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly #address: string;

  private constructor(context: BrowserContext, page: Page, address: string) {
    this.context = context;
    this.page = page;
    this.#address = address;
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !EXPECTED.test(message.text())) this.complaints.push(message.text());
    });
  }

  /** Without motion unless it is asked for: its frames take a fifth of the processor time of tests. */
  static async open(browser: Browser, { address }: Pick<AdminServer, "address">, options: PageOptions = {}) {
    const viewport = { width: 1280, height: 800 };
    const context = await browser.newContext({ viewport, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(Math.max(SHOWN_MS, patience()));
    const admin = new AdminPage(context, await context.newPage(), address);
    await admin.page.goto(signInLink(address, KEY, Date.now()));
    await admin.page.getByRole("navigation", { name: "Content and project" }).waitFor();
    return admin;
  }

  /** Another window of the same browser. */
  async another(): Promise<AdminPage> {
    return new AdminPage(this.context, await this.context.newPage(), this.#address);
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(this.#address + path);
  }

  /** Shows another view without loading the page again, which takes a second; loads it where something is open or unsaved. */
  async visit(path: string): Promise<void> {
    const isShown = await this.page.evaluate(`(${SHOW})(${JSON.stringify(path)})`);
    if (!isShown) await this.goTo(path);
  }

  /** Presses keys as a person does: each after the page has shown what the one before led to. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#painted();
      await this.page.keyboard.press(key);
    }
    await this.#painted();
  }

  /** Types words into what has the focus, once that is this field. */
  async type(words: string, field: Locator): Promise<void> {
    await field.and(this.page.locator(":focus")).waitFor();
    await this.page.keyboard.type(words, { delay: KEY_MS });
    await this.#painted();
  }

  /** Resolves once the page has drawn its last changes, and has moved the focus where they ask for it. */
  async #painted(): Promise<void> {
    await this.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  }

  /** Waits for a message of the page that contains the text, in the same letter case, and has not been waited for before. */
  async message(text: string): Promise<void> {
    const found = this.page.locator(".toast:not([data-seen])", { hasText: new RegExp(RegExp.escape(text)) });
    await found.first().evaluate((element) => element.setAttribute("data-seen", ""));
  }
}

export interface OpenedPage {
  readonly server: AdminServer;
  readonly browser: Browser;
  readonly admin: AdminPage;
}

/** A browser that has not started by then never does. */
const OPENING_MS = 180_000;

/**
 * Opens the page of a project before the tests of a suite, hands it to `opened`, and closes it after them. `prepare` is called
 * before somebody signs in.
 */
export function openPage(
  files: Readonly<Record<string, string>>,
  opened: (page: OpenedPage) => void,
  prepare?: (server: AdminServer) => Promise<void>,
  options?: PageOptions,
): void {
  let server: AdminServer | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [server, browser] = await Promise.all([serveAdmin(files), openBrowser()]);
    await prepare?.(server);
    opened({ server, browser, admin: await AdminPage.open(browser, server, options) });
  }, OPENING_MS);
  afterAll(async () => {
    await closeBrowser(browser);
    await server?.[Symbol.asyncDispose]();
  });
}
