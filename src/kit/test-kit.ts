/** What tests have beside the server: failures, expected requests, documents that are made, mails, and a clock. */
import { CommonHeaders } from "../api/rest/respond.ts";
import type { Mail } from "../engine/access/mail.ts";
import type { Data } from "../engine/documents/documents.ts";
import { readShortBody } from "../lib/short-body.ts";
import type { DocumentChange, RequestFailure, SentMail, SentWebhook, Snapshot, TestKit } from "../public-types.ts";
import type { Embedded } from "../server/embedded.ts";
import { rethrow } from "../server/error-statuses.ts";
import { storageFromSnapshot } from "../server/project/code-storage.ts";
import { checkOptions, type OptionRule } from "./check-options.ts";
import { createClock } from "./clock.ts";
import type { Contract } from "./contract.ts";
import type { Factories } from "./factories.ts";
import { Failures } from "./failures.ts";
import { AnsweredRequests } from "./requests.ts";

const LINK = /https?:\/\/[^\s"'<>]+/g;

const toSentMail = ({ to, from, subject = "", text = "", html }: Mail): SentMail => ({
  to: [to].flat().join(", "),
  from,
  subject,
  text,
  html,
  links: [...new Set(`${text}\n${html?.replaceAll("&amp;", "&") ?? ""}`.match(LINK))],
});

/** Longer bodies of GraphQL have no name that is looked for. */
const MAX_OPERATION_BYTES = 100_000;

/** The name of the operation in a body for GraphQL; undefined for one without a name. */
function readOperation(body: string): string | undefined {
  try {
    const { operationName, query } = JSON.parse(body) as Record<string, unknown>;
    if (typeof operationName === "string") return operationName;
    return /^\s*(?:query|mutation)\s+(\w+)/.exec(String(query))?.[1];
  } catch {
    // the server answers that the body is not JSON
    return undefined;
  }
}

const makeOptions: Readonly<Record<string, OptionRule>> = {
  status: { expected: '"draft" or "published"', fits: (value) => value === "draft" || value === "published" },
};

/** Of the server that is tested. */
type KitParts = Pick<Embedded<unknown>, "project" | "mails" | "webhooks" | "clock" | "runSchedule" | "rowsOf">;

export class Kit {
  readonly #parts: KitParts;
  readonly #failures = new Failures();
  readonly #requests = new AnsweredRequests();
  readonly #seed: string;
  readonly #contract: Contract | undefined;
  #factories: Factories | undefined;

  /** `contract`: with what another server answers; none by default. */
  constructor(parts: KitParts, seed: string, contract?: Contract) {
    this.#parts = parts;
    this.#seed = seed;
    this.#contract = contract;
  }

  get #made(): Factories {
    if (this.#factories) return this.#factories;
    // most tests make their documents themselves
    const { Factories } = require("./factories.ts") as typeof import("./factories.ts");
    this.#factories = new Factories(this.#parts.project, this.#seed);
    return this.#factories;
  }

  /** For a branch. */
  copy(parts: KitParts): Kit {
    const copy = new Kit(parts, this.#seed, this.#contract?.copy(parts.project));
    copy.#factories = this.#factories?.copy(parts.project);
    return copy;
  }

  /** Forgets failures, requests and what was made, as after the start. `isStart`: whether the content is that of the start, too. */
  reset(isStart: boolean): void {
    this.#contract?.reset(isStart);
    this.#failures.clear();
    this.#requests.clear();
    this.#factories?.restart();
  }

  /** Rejects with an Error if answers had to be those of another server, and are not. */
  async end(): Promise<void> {
    await this.#contract?.end();
  }

  async handle(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
    const start = performance.now();
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const isGraphql = method === "POST" && pathname === this.#parts.project().settings.graphql.endpoint;
    // others are handled at once, as by the server itself
    const body = isGraphql ? ((await readShortBody(request, MAX_OPERATION_BYTES)) ?? "") : undefined;
    const operation = body === undefined ? undefined : readOperation(body);
    const answered = this.#contract?.watch(request, body);
    const target = { method, path: pathname, operation };
    const failed = this.#failures.isEmpty ? undefined : await this.#failures.respond(target);
    // without those of CORS, a browser's script could not read the status
    if (failed) for (const [name, value] of this.#commonHeaders(request)) failed.headers.set(name, value);
    const response = failed ?? (await answer(request));
    answered?.(failed ? undefined : response);
    const milliseconds = performance.now() - start;
    this.#requests.add({ ...target, path: pathname + search, status: response.status, milliseconds });
    return response;
  }

  #commonHeaders(request: Request): Headers {
    return new CommonHeaders(this.#parts.project().settings.http).of(request);
  }

  async #changes(since: Snapshot | undefined): Promise<DocumentChange[]> {
    const { project, rowsOf } = this.#parts;
    const rows = rowsOf(since);
    await project().idle();
    const { findChanges } = require("./changes.ts") as typeof import("./changes.ts");
    const before = storageFromSnapshot(rows, false);
    try {
      return findChanges(project().model, before, project().context.storage);
    } finally {
      before.close();
    }
  }

  async #webhooks(): Promise<SentWebhook[]> {
    const { project, webhooks } = this.#parts;
    const { toSentWebhook } = require("./webhooks.ts") as typeof import("./webhooks.ts");
    await project().context.reports?.settled();
    await project().webhooks.idle();
    return webhooks().map(toSentWebhook);
  }

  /** As the test calls it. `around`: runs what may call the project's own code. */
  functions(around: <T>(work: () => T) => T): TestKit {
    const make: TestKit["make"] = async (type, data, options = {}) => {
      checkOptions("the options", options, makeOptions);
      return (await around(() => this.#made.make(type, data as Data, options.status)).catch(rethrow)) as never;
    };
    return {
      clock: createClock(this.#parts, around),
      make,
      makeMany: async (type, count, data, options) => {
        if (!Number.isInteger(count) || count < 0)
          throw new TypeError("The number of documents must be a whole one from 0");
        const made = [];
        // one after another, for the same data in each run
        for (let index = 0; index < count; index++) made.push(await make(type, data, options));
        return made as never;
      },
      build: async (type, data) => this.#made.build(type, data) as never,
      fail: async (failure: RequestFailure) => this.#failures.add(failure),
      slow: async (milliseconds) => this.#failures.add({ delay: milliseconds }),
      offline: async () => this.#failures.add({ cut: true }),
      recover: async () => this.#failures.clear(),
      requests: async () => this.#requests.list(),
      expectRequests: async (expected) => this.#requests.expect(expected),
      webhooks: () => this.#webhooks(),
      changes: async (since) => this.#changes(since),
      mails: async () => {
        await this.#parts.project().idle();
        return this.#parts.mails().map(toSentMail);
      },
    };
  }
}
