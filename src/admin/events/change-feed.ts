/**
 * Server-sent events for the open windows of the admin page. An event has no details of a change of content: commits of other processes
 * are visible only as a new version of the database, and a window knows which data it has to load again.
 */
import { ApiError } from "../../lib/errors.ts";
import { type AdminRoute, route } from "../call.ts";
import { API_PATH } from "../session/session.ts";

/**
 * Versions that a window compares: `project` changes with the files of schemas and settings, `content` with rows, `files` with problems
 * of content files and with commits.
 */
export interface ServedState {
  readonly project: string;
  readonly content: string;
  readonly files: string;
  /** Why changed files of the project are not served; undefined if they are. */
  readonly problem?: string | undefined;
}

export interface FeedOptions {
  /** Different whenever content may have changed, by this process or another. */
  readonly version: () => string;
  /** Different whenever what is said of content files may have changed. */
  readonly files?: () => string;
  readonly problem?: () => string | undefined;
  /** Aborted when the project is closed or replaced. */
  readonly ended: AbortSignal;
  /** How often the version is compared while a window is open. */
  readonly pollMs?: number;
  /** How often an event is sent when nothing changes, so that no proxy closes a silent connection. */
  readonly heartbeatMs?: number;
}

const POLL_MS = 400;
const HEARTBEAT_MS = 20_000;
/** Open windows. The page is connected only while it is visible. */
export const MAX_WINDOWS = 100;

type Window = ReadableStreamDefaultController<Uint8Array>;

const encoder = new TextEncoder();

export class ChangeFeed {
  /** Versions of other processes and projects cannot be compared with this one's. */
  readonly #id = crypto.randomUUID();
  readonly #options: FeedOptions;
  readonly #windows = new Set<Window>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #sent = "";
  #sentAt = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.ended.addEventListener("abort", () => this.#closeAll(), { once: true });
  }

  get isFull(): boolean {
    return this.#windows.size >= MAX_WINDOWS;
  }

  state(): ServedState {
    const { version, files, problem } = this.#options;
    const content = `${this.#id}.${version()}`;
    return { project: this.#id, content, files: files?.() ?? "", problem: problem?.() };
  }

  /** Events for one window: the state at once, and then whenever it changes. */
  open(): ReadableStream<Uint8Array> {
    let openWindow: Window;
    return new ReadableStream({
      start: (window) => {
        if (this.#options.ended.aborted) return window.close();
        openWindow = window;
        this.#poll();
        this.#write(window, this.#sent);
        this.#windows.add(window);
        this.#timer ??= setInterval(() => this.#poll(), this.#options.pollMs ?? POLL_MS);
      },
      cancel: () => this.#remove(openWindow),
    });
  }

  #poll(): void {
    const event = this.#event();
    if (event === undefined) return this.#closeAll();
    const isDue = performance.now() - this.#sentAt > (this.#options.heartbeatMs ?? HEARTBEAT_MS);
    if (event === this.#sent && !isDue) return;
    this.#sent = event;
    this.#sentAt = performance.now();
    for (const window of this.#windows) this.#write(window, event);
  }

  /** Undefined if the database is closed: a window that reconnects reaches its successor. */
  #event(): string | undefined {
    try {
      return `data: ${JSON.stringify(this.state())}\n\n`;
    } catch {
      return undefined;
    }
  }

  #write(window: Window, event: string): void {
    // a slow window gets the next state only, not the events that it has missed
    if ((window.desiredSize ?? 0) > 0) window.enqueue(encoder.encode(event));
  }

  #closeAll(): void {
    for (const window of this.#windows) {
      this.#remove(window);
      window.close();
    }
  }

  #remove(window: Window): void {
    this.#windows.delete(window);
    if (this.#windows.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** `GET /admin/api/events`: the event stream for open windows of the admin page. */
const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // a proxy that compresses would buffer events, as others do
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
} as const;

export function eventRoutes(feed: ChangeFeed): AdminRoute[] {
  return [
    route("GET", `${API_PATH}/events`, () => {
      if (feed.isFull) throw new ApiError("ServiceUnavailableError", "Too many windows of the admin page are open");
      return { status: 200, stream: feed.open(), headers: HEADERS };
    }),
  ];
}
