/**
 * Serves a copy of a running Strapi, and goes on while that is slow or does not answer. What the copy does not have is passed on, and kept.
 * Nothing is written to the origin.
 */

import { join } from "node:path";
import { splitUrl } from "../../api/http-route.ts";
import { CommonHeaders, respondToError } from "../../api/rest/respond.ts";
import { namesThisMachine } from "../../engine/access/client-address.ts";
import { ApiError, errorMessage, ProjectError } from "../../lib/errors.ts";
import { readAll } from "../../transfer/archive/lines.ts";
import { UnavailableError } from "../../transfer/remote/rest/client.ts";
import { isQuery } from "../contract/safe-requests.ts";
import type { Project } from "../project/project.ts";
import type { RunningProject } from "../running.ts";
import { type CopyOptions, MirrorCopy } from "./copy.ts";
import { KeptResponses } from "./kept-responses.ts";
import { type LocalCopy, openLocalCopy } from "./local-copy.ts";
import type { MirrorState } from "./mirrored-project.ts";
import { createPassedRequests, type PassedRequest, type PassedRequests } from "./passed-requests.ts";
import { createRoutes, type Destination, type Routes } from "./routes.ts";

export interface MirrorOptions extends CopyOptions {
  /** After this time, the next request asks the origin for changes. In milliseconds. */
  readonly refreshMs: number;
  /** Keep writes in a copy of their own, which is not refreshed. */
  readonly writes: boolean;
  /** Whether other machines reach the server, so that any host and any page is answered. */
  readonly isExposed: boolean;
}

/** How long a request waits for a refresh, and the start for the first one of an earlier copy. */
const PATIENCE_MS = 3_000;
/** Attempts to read the first copy, each with several attempts for a request. */
const FIRST_ATTEMPTS = 3;
const MAX_GRAPHQL_BODY = 1_000_000;

const formatAge = (milliseconds: number): string => {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 2) return `${Math.round(milliseconds / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
};

interface Routing {
  readonly project: Project;
  readonly state: MirrorState;
  readonly routes: Routes;
  readonly headers: CommonHeaders;
}

class Mirror {
  readonly #options: MirrorOptions;
  readonly #copy: MirrorCopy;
  readonly #local: LocalCopy | undefined;
  readonly #kept: KeptResponses;
  readonly #passed: PassedRequests;
  #refreshing: Promise<boolean> | undefined;
  /** Whether the last refresh failed. Requests do not wait for the next one then. */
  #isFailing = false;
  #triedAt = 0;
  #isClosed = false;
  #routing: Routing | undefined;

  constructor(options: MirrorOptions, copy: MirrorCopy, local: LocalCopy | undefined) {
    this.#options = options;
    this.#copy = copy;
    this.#local = local;
    this.#kept = new KeptResponses(join(options.folder, "responses"));
    this.#passed = createPassedRequests(options.client, this.#kept, options.refreshMs);
  }

  get #app(): Pick<RunningProject, "handle" | "attachServer" | "trim"> {
    return this.#local ?? this.#copy.generations!;
  }

  project(): Project {
    return this.#local?.project ?? this.#copy.generations!.project;
  }

  /** Resolves with whether the origin has answered; never rejects. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<boolean> {
    const { report } = this.#options;
    this.#triedAt = Date.now();
    const earlier = this.#copy.folder;
    try {
      await this.#copy.refresh();
      if (this.#isFailing) report("the origin answers again");
      this.#isFailing = false;
      if (earlier !== this.#copy.folder) report("the content of the origin has changed and is served now");
      return true;
    } catch (error) {
      if (this.#isClosed) return false;
      const problem = error instanceof ProjectError ? error.message : errorMessage(error);
      const age = formatAge(Date.now() - this.#copy.state!.checkedAt);
      // an outage is reported once
      if (!this.#isFailing) report(`${problem}; the copy is served, which is ${age} old`);
      this.#isFailing = true;
      return false;
    }
  }

  /** Asks the origin for changes if that was long ago, and waits for them a little. */
  async refreshIfDue(): Promise<void> {
    if (this.#local) return;
    if (Date.now() - Math.max(this.#copy.state!.checkedAt, this.#triedAt) < this.#options.refreshMs) return;
    const refreshed = this.refresh();
    if (!this.#isFailing) await Promise.race([refreshed, Bun.sleep(PATIENCE_MS)]);
  }

  /** The routes and headers of what is served now. */
  #routingNow(): Routing {
    const [project, state] = [this.project(), this.#copy.state!];
    if (this.#routing?.project !== project || this.#routing.state !== state) {
      const { settings, model } = project;
      const routes = createRoutes({ state, model, settings, writes: this.#local !== undefined });
      this.#routing = { project, state, routes, headers: new CommonHeaders(settings.http) };
    }
    return this.#routing;
  }

  readonly handle = async (request: Request): Promise<Response> => {
    const { routes, headers } = this.#routingNow();
    try {
      this.#checkClient(request);
      const { path, search } = splitUrl(request.url);
      const destination = routes.find(request.method, path, search);
      const passed =
        destination === "origin" || destination === "copyFirst"
          ? await this.#passedRequest(request, path, search)
          : undefined;
      return await this.#answer(request, destination, passed, headers);
    } catch (error) {
      return respondToError(error, headers.of(request));
    }
  };

  async #answer(
    request: Request,
    destination: Destination,
    passed: PassedRequest | undefined,
    headers: CommonHeaders,
  ): Promise<Response> {
    const { client } = this.#options;
    if (destination === "refused")
      throw new ApiError(
        "ForbiddenError",
        `This mirror does not change ${client.root}; galley mirror --write keeps writes of its content-types in a copy`,
      );
    if (destination === "origin") return this.#pass(request, passed!, headers);
    if (destination === "here") return this.#app.handle(request);
    await this.refreshIfDue();
    // the copy has only what the token of the mirror may read
    request.headers.delete("authorization");
    const response = await this.#app.handle(request);
    if (destination === "copyFirst" && response.status === 404) return this.#pass(request, passed!, headers);
    return this.#local ? response : this.#withAge(response, this.#copy.state!.checkedAt);
  }

  async #pass(request: Request, passed: PassedRequest, headers: CommonHeaders): Promise<Response> {
    const { status, body, checkedAt, headers: own } = await this.#passed.answer(passed);
    const all = headers.of(request);
    for (const [name, value] of Object.entries(own)) all.set(name, value);
    return this.#withAge(new Response(request.method === "HEAD" ? null : body, { status, headers: all }), checkedAt);
  }

  /** What a request is to the origin; a body is one of GraphQL. Throws a ForbiddenError for an operation that may write. */
  async #passedRequest(request: Request, path: string, search: string): Promise<PassedRequest> {
    const hasToken = !path.startsWith("/uploads/");
    const url = search === "" ? path : `${path}?${search}`;
    if (request.method !== "POST") return { method: "GET", path: url, hasToken };
    const refusal = () => new ApiError("ForbiddenError", "This mirror passes on queries of GraphQL only, as JSON");
    const body = await readAll(request.body ?? new Blob().stream(), MAX_GRAPHQL_BODY, refusal);
    if (!isQuery(body, Number.POSITIVE_INFINITY)) throw refusal();
    return { method: "POST", path: url, body, hasToken };
  }

  #withAge(response: Response, checkedAt: number): Response {
    const age = Date.now() - checkedAt;
    const headers = new Headers(response.headers);
    headers.set("Age", String(Math.floor(age / 1_000)));
    if (age > this.#options.refreshMs) headers.set("Warning", '110 - "Response is Stale"');
    return new Response(response.body, { status: response.status, headers });
  }

  /** Others must not read what the token may read. */
  #checkClient(request: Request): void {
    if (!this.#options.isExposed && !namesThisMachine(request))
      throw new ApiError("ForbiddenError", "This mirror answers this machine only; --host lets others connect");
  }

  readonly attachServer: RunningProject["attachServer"] = (server) => this.#app.attachServer(server);
  readonly trim = (): void => this.#app.trim();

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.client.abort();
    await this.#refreshing;
    await this.#local?.close();
    await this.#copy.close();
    this.#kept.close();
  }
}

/** Reads the first copy. Rejects with the ProjectError of the last attempt. */
async function readFirst(copy: MirrorCopy, report: (line: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await copy.refresh();
    } catch (error) {
      if (attempt === FIRST_ATTEMPTS || !(error instanceof UnavailableError)) throw error;
      report(`${error.message}; trying again`);
    }
  }
}

/** Rejects with a ProjectError if there is no copy yet, and the origin does not answer. */
export async function runMirror(options: MirrorOptions): Promise<RunningProject> {
  const copy = await MirrorCopy.open(options);
  let mirror: Mirror | undefined;
  try {
    if (!copy.generations) await readFirst(copy, options.report);
    mirror = new Mirror(options, copy, options.writes ? await openLocalCopy(copy, options) : undefined);
    await mirror.refreshIfDue();
  } catch (error) {
    await (mirror ?? copy).close();
    throw error;
  }
  const running = mirror;
  return {
    handle: running.handle,
    attachServer: running.attachServer,
    trim: running.trim,
    project: () => running.project(),
    content: undefined,
    reload: () => running.refresh(),
    close: () => running.close(),
  };
}
