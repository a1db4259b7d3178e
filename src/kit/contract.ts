/**
 * With `GALLEY_AGAINST`, what a test reads is asked of another server, too, and the answers are compared. The test itself is not affected. Nothing
 * is sent after the first write of a test, nothing that may write, and no credentials of the test.
 */
import type { Environment } from "../engine/config/env.ts";
import { callSite, SITE_HEADER } from "../lib/call-site.ts";
import { printable } from "../lib/printable.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import {
  type AnswerDifference,
  compareAnswers,
  describeDifference,
  SameDocuments,
} from "../server/contract/compare-answers.ts";
import { createPeer, type Peer, type PeerRequest, readAnswer } from "../server/contract/peer.ts";
import { isQuery, isReadPath } from "../server/contract/safe-requests.ts";
import type { Project } from "../server/project/project.ts";

/** Different requests of a run. */
const MAX_REQUESTS = 10_000;
const MAX_WAITING = 1_000;
const MAX_LINES = 200;
/** How long the end of the tests waits for answers. */
const END_MS = 60_000;
const NOT_MODIFIED = 304;
/** A header that changes answers. */
const FORMAT = "strapi-response-format";
/** As in "/api/articles/hgv1vny5cebq2l3czil1rpb3". */
const HAS_DOCUMENT_ID = /\b[a-z0-9]{24}\b/;

const WRITTEN = "after a write";
/** A user's, in contrast to an API token. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

interface Compared {
  readonly name: string;
  /** The places in tests that send it. */
  readonly sites: Set<string>;
  differences?: readonly AnswerDifference[];
  /** Why the other server's answer is not known. */
  failure?: string;
}

/** What is found of a project and its branches. */
class Findings {
  readonly peer: Peer;
  readonly #documents = new SameDocuments();
  readonly #compared = new Map<number | bigint, Compared>();
  readonly #left = new Map<string, number>();
  readonly #waiting = new Set<Promise<void>>();

  constructor(peer: Peer) {
    this.peer = peer;
  }

  /** `reason`: as in "5 after a write". */
  leave(reason: string): void {
    this.#left.set(reason, (this.#left.get(reason) ?? 0) + 1);
  }

  compare(request: PeerRequest, origin: string, response: Response, site: string): void {
    const text = JSON.stringify(request);
    const key = Bun.hash(text);
    const known = this.#compared.get(key);
    if (known) known.sites.add(site);
    else if (this.#compared.size >= MAX_REQUESTS) this.leave(`beyond the first ${MAX_REQUESTS}`);
    else if (this.#waiting.size >= MAX_WAITING) this.leave("while too many others were waiting");
    else {
      const name = `${request.body === undefined ? "GET" : "POST"} ${request.path}`;
      const compared: Compared = { name, sites: new Set([site]) };
      this.#compared.set(key, compared);
      // whose answers may have the document ids that the request names
      const earlier = HAS_DOCUMENT_ID.test(text) ? [...this.#waiting] : [];
      // read at once: the server may reuse what is behind it
      const work = readAnswer(response.clone())
        .then(async (here) => {
          await Promise.all(earlier);
          const [path, body] = [request.path, request.body].map((part) => part && this.#documents.translate(part));
          const there = await this.peer.ask({ ...request, path: path!, body });
          compared.differences = compareAnswers(here, there, this.#documents, [origin, this.peer.root]);
        })
        // the test is not affected, whatever it is
        .catch((error: unknown) => {
          compared.failure = error instanceof Error ? error.message : String(error);
        });
      this.#waiting.add(work);
      void work.finally(() => this.#waiting.delete(work));
    }
  }

  async end(): Promise<{ readonly lines: readonly string[]; readonly isAlike: boolean }> {
    await withTimeout(Promise.all(this.#waiting), END_MS, () => []);
    const all = [...this.#compared.values()];
    const failed = all.filter(({ differences }) => differences === undefined);
    const others = all.filter(({ differences }) => differences !== undefined && differences.length > 0);
    const answered = all.length - failed.length;
    const left = new Map(this.#left);
    for (const { failure = "not answered in time" } of failed) left.set(failure, (left.get(failure) ?? 0) + 1);
    const details = others.flatMap(({ name, sites, differences = [] }) => [
      `  ${name} (${[...sites].join(", ")})`,
      ...differences.map((difference) => `    ${describeDifference(difference)}`),
    ]);
    const outcome = others.length === 0 ? "all are answered alike" : `${others.length} are answered differently`;
    const lines = [
      answered === 0
        ? `no request was compared with ${this.peer.root}`
        : `${answered} request${answered === 1 ? "" : "s"} compared with ${this.peer.root}: ${outcome}`,
      ...details.slice(0, MAX_LINES),
      ...(details.length > MAX_LINES ? [`  and ${details.length - MAX_LINES} more lines`] : []),
      ...[...left].map(([reason, count]) => `  not compared: ${count} ${reason}`),
    ];
    return { lines: lines.map(printable), isAlike: others.length === 0 && failed.length === 0 };
  }
}

interface ContractOptions {
  readonly publicRead: boolean;
  /** Whether `end` rejects if anything is answered differently, or not at all. */
  readonly isStrict: boolean;
}

/** The comparison of a project, or of a branch. */
export class Contract {
  readonly #project: () => Project;
  readonly #findings: Findings;
  readonly #options: ContractOptions;
  /** Of the content as the project started with it; undefined: it was changed. */
  #version: string | undefined;

  private constructor(project: () => Project, findings: Findings, options: ContractOptions) {
    this.#project = project;
    this.#findings = findings;
    this.#options = options;
    this.#version = this.#readVersion();
  }

  /** Throws a ProjectError for an invalid address. */
  static create(project: () => Project, environment: Environment, publicRead: boolean): Contract {
    const { GALLEY_AGAINST = "", GALLEY_AGAINST_TOKEN, GALLEY_AGAINST_STRICT } = environment;
    const findings = new Findings(createPeer(GALLEY_AGAINST, GALLEY_AGAINST_TOKEN || undefined));
    return new Contract(project, findings, {
      publicRead,
      isStrict: ["1", "true"].includes(GALLEY_AGAINST_STRICT ?? ""),
    });
  }

  /** For a branch. */
  copy(project: () => Project): Contract {
    const copy = new Contract(project, this.#findings, this.#options);
    if (this.#hasWritten()) copy.#version = undefined;
    return copy;
  }

  /** `isStart`: whether the content is that of the start again. */
  reset(isStart: boolean): void {
    this.#version = isStart ? this.#readVersion() : undefined;
  }

  /**
   * Call it before a request is answered, and the result with the response; undefined for one that a failure of the test answers. `body`:
   * of GraphQL, empty if it is too long.
   */
  watch(request: Request, body: string | undefined): (response: Response | undefined) => void {
    const findings = this.#findings;
    const url = new URL(request.url);
    const authorization = request.headers.get("authorization");
    const reason = this.#reasonAgainst(request.method, url.pathname, body, authorization);
    if (reason !== undefined) {
      findings.leave(reason);
      return () => {};
    }
    const site = request.headers.get(SITE_HEADER) ?? callSite() ?? "over the port";
    const format = request.headers.get(FORMAT);
    const asked: PeerRequest = {
      path: url.pathname + url.search,
      ...(body === undefined ? {} : { body }),
      ...(format === null ? {} : { headers: { [FORMAT]: format } }),
      hasToken: authorization !== null || this.#options.publicRead,
    };
    // the answer is parsed here
    request.headers.delete("accept-encoding");
    return (response) => {
      if (response === undefined) findings.leave("that a failure of the test answered");
      else if (response.status === NOT_MODIFIED) findings.leave("that were not modified (304)");
      else if (this.#hasWritten()) findings.leave(WRITTEN);
      else findings.compare(asked, url.origin, response, site);
    };
  }

  /** Prints what was found. Rejects with an Error that tells it, if the contract is strict and broken. */
  async end(): Promise<void> {
    const { lines, isAlike } = await this.#findings.end();
    for (const line of lines) console.error(line.startsWith(" ") ? line : `galley: ${line}`);
    if (this.#options.isStrict && !isAlike) throw new Error(lines.join("\n"));
  }

  #reasonAgainst(
    method: string,
    path: string,
    body: string | undefined,
    authorization: string | null,
  ): string | undefined {
    if (body === undefined ? method !== "GET" : !isQuery(body)) return "that may write";
    if (body === undefined && !isReadPath(path, this.#project().settings.rest.prefix)) return "of other paths";
    const key = authorization?.replace(/^bearer /i, "") ?? "";
    if (JWT.test(key)) return "as a user, whose credentials are not sent";
    if (this.#hasWritten()) return WRITTEN;
    if (key !== "" && !this.#findings.peer.hasToken) return "with a token, while GALLEY_AGAINST_TOKEN gives none";
    this.#noteToken(key);
    return undefined;
  }

  /** Notes that a token is used, as the request would: this is written, but not by the test. */
  #noteToken(key: string): void {
    try {
      this.#project().access.tokens.ability(key);
    } catch {
      // expired: the request is answered so
    }
    this.#version = this.#readVersion();
  }

  #readVersion(): string {
    return this.#project().context.storage.version();
  }

  #hasWritten(): boolean {
    if (this.#project().context.storage.isClosed) return true;
    if (this.#version !== this.#readVersion()) this.#version = undefined;
    return this.#version === undefined;
  }
}
