/** Answers of the change feed to waiting clients. */
import { errorBody } from "../../api/rest/respond.ts";
import type { Ability } from "../../engine/access/access.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Budget } from "../../lib/budget.ts";
import { ApiError } from "../../lib/errors.ts";
import { logError } from "../../lib/printable.ts";
import type { Project } from "../project/project.ts";
import { type ContentWait, createContentWait, type WaitingRequest } from "./content-wait.ts";
import { Feed, type FeedAnswer, type FeedPage } from "./feed.ts";
import { type FeedParams, readFeedParams } from "./params.ts";

export interface FeedRequest extends WaitingRequest {
  readonly identify: () => Promise<Ability>;
  readonly budget: () => Budget;
}

/** After a silence of this length, a comment keeps the connection open. */
const HEARTBEAT_MS = 20_000;
const HEARTBEAT = ":\n\n";

const hasNews = ({ changes, tags = [] }: FeedPage): boolean => changes.length > 0 || tags.length > 0;

const encoder = new TextEncoder();

const formatEvent = (name: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export class FeedService {
  readonly #feed: Feed;
  readonly #wait: ContentWait;

  constructor(project: Project) {
    this.#feed = new Feed(project);
    this.#wait = createContentWait(project.context.storage, project.ended.signal);
  }

  async #answer(params: FeedParams, { identify, budget }: FeedRequest): Promise<FeedAnswer> {
    return this.#feed.answer(params, await identify(), budget());
  }

  /** Waits as long as the parameters say for a change. Throws as `Feed.answer`. */
  async page(query: Params, request: FeedRequest): Promise<FeedPage> {
    const params = readFeedParams(query, null);
    const until = performance.now() + params.wait;
    for (;;) {
      const { page, version } = await this.#answer(params, request);
      const left = until - performance.now();
      // without a token, there is nothing to wait for
      if (hasNews(page) || params.since === undefined || page.hasMore || left <= 0) return page;
      if ((await this.#wait.next(version, left, request)) === "ended") return page;
    }
  }

  /**
   * Events for one client: the first page at once, also if it is empty, then further ones. A token that no longer applies, or a caller who no
   * longer may, ends it with the error. Throws as `Feed.answer` for the first page.
   */
  async stream(query: Params, lastEventId: string | null, request: FeedRequest): Promise<ReadableStream<Uint8Array>> {
    const first = readFeedParams(query, lastEventId);
    let next: FeedAnswer | undefined = await this.#answer(first, request);
    const left = new AbortController();
    const waiting = { ...request, signal: AbortSignal.any([request.signal, left.signal]) };
    let { token: since } = next.page;
    const findNext = async (): Promise<FeedAnswer> => this.#answer({ ...first, isFull: false, since }, waiting);
    /** The text to send; undefined: the stream ends. */
    const read = async (): Promise<string | undefined> => {
      const until = performance.now() + HEARTBEAT_MS;
      for (let isFirst = next !== undefined; ; isFirst = false) {
        const { page, version } = next ?? (await findNext());
        next = undefined;
        const { token, ...data } = page;
        if (isFirst || hasNews(page)) {
          since = token;
          return formatEvent("changes", data, token);
        }
        const outcome = await this.#wait.next(version, Math.max(0, until - performance.now()), waiting);
        if (outcome === "ended") return undefined;
        if (outcome === "timeout") return HEARTBEAT;
      }
    };
    return new ReadableStream({
      // called when the client has taken what there was
      async pull(controller) {
        try {
          const text = await read();
          if (left.signal.aborted) return;
          if (text === undefined) return controller.close();
          controller.enqueue(encoder.encode(text));
        } catch (error) {
          if (left.signal.aborted) return;
          if (!(error instanceof ApiError)) logError(error);
          controller.enqueue(encoder.encode(formatEvent("error", errorBody(error).error)));
          controller.close();
        }
      },
      cancel: () => left.abort(),
    });
  }
}
