/**
 * Serves a copy of a running Strapi, and goes on while that is slow or does not answer. What the copy does not have is passed on, and kept.
 * Nothing is written to the origin.
 */

import { join } from "node:path";
import { splitUrl } from "../../api/http-route.ts";
import { CommonHeaders, respondToError } from "../../api/rest/respond.ts";
import { namesThisMachine } from "../../engine/access/client-address.ts";
import { type ApiError, errorMessage, forbidden, ProjectError } from "../../lib/errors.ts";
import { readAll } from "../../transfer/archive/lines.ts";
import { UnavailableError } from "../../transfer/remote/rest/client.ts";
import { isQuery } from "../contract/safe-requests.ts";
import type { Project } from "../project/project.ts";
import type { RunningProject } from "../running.ts";
import { type CopyOptions, MirrorCopy } from "./copy.ts";
import { createKeptResponses } from "./kept-responses.ts";
import { type LocalCopy, openLocalCopy } from "./local-copy.ts";
import type { MirrorState } from "./mirrored-project.ts";
import { createPassedRequests, type PassedRequest } from "./passed-requests.ts";
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

/** Brings the copy up to date, at most once at a time. */
function createRefresher({ report, refreshMs, client }: MirrorOptions, copy: MirrorCopy) {
  let refreshing: Promise<boolean> | undefined;
  /** Whether the last refresh failed. Requests do not wait for the next one then. */
  let isFailing = false;
  let triedAt = 0;
  let isClosed = false;

  /** Resolves with whether the origin has answered; never rejects. */
  function reload(): Promise<boolean> {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshOnce(): Promise<boolean> {
    triedAt = Date.now();
    const earlier = copy.folder;
    try {
      await copy.refresh();
      if (isFailing) report("the origin answers again");
      isFailing = false;
      if (earlier !== copy.folder) report("the content of the origin has changed and is served now");
      return true;
    } catch (error) {
      if (isClosed) return false;
      const problem = error instanceof ProjectError ? error.message : errorMessage(error);
      const age = formatAge(Date.now() - copy.state!.checkedAt);
      // an outage is reported once
      if (!isFailing) report(`${problem}; the copy is served, which is ${age} old`);
      isFailing = true;
      return false;
    }
  }

  /** Asks the origin for changes if that was long ago, and waits for them a little. */
  async function refreshIfDue(): Promise<void> {
    if (Date.now() - Math.max(copy.state!.checkedAt, triedAt) < refreshMs) return;
    const refreshed = reload();
    if (!isFailing) await Promise.race([refreshed, Bun.sleep(PATIENCE_MS)]);
  }

  async function close(): Promise<void> {
    isClosed = true;
    client.abort();
    await refreshing;
  }

  return { reload, refreshIfDue, close };
}

/** What a request is to the origin; a body is one of GraphQL. Throws a ForbiddenError for an operation that may write. */
async function passedRequest(request: Request, path: string, search: string): Promise<PassedRequest> {
  const hasToken = !path.startsWith("/uploads/");
  const url = search === "" ? path : `${path}?${search}`;
  if (request.method !== "POST") return { method: "GET", path: url, hasToken };
  const refusal = () => forbidden("This mirror passes on queries of GraphQL only, as JSON");
  const body = await readAll(request.body ?? new Blob().stream(), MAX_GRAPHQL_BODY, refusal);
  if (!isQuery(body, Number.POSITIVE_INFINITY)) throw refusal();
  return { method: "POST", path: url, body, hasToken };
}

function withAge(response: Response, checkedAt: number, { refreshMs }: MirrorOptions): Response {
  const age = Date.now() - checkedAt;
  const headers = new Headers(response.headers);
  headers.set("Age", String(Math.floor(age / 1_000)));
  if (age > refreshMs) headers.set("Warning", '110 - "Response is Stale"');
  return new Response(response.body, { status: response.status, headers });
}

const refusedWrite = ({ client }: MirrorOptions): ApiError =>
  forbidden(
    `This mirror does not change ${client.root}; galley mirror --write keeps writes of its content-types in a copy`,
  );

/** Others must not read what the token may read. */
function checkClient(request: Request, { isExposed }: MirrorOptions): void {
  if (!isExposed && !namesThisMachine(request))
    throw forbidden("This mirror answers this machine only; --host lets others connect");
}

function createMirror(options: MirrorOptions, copy: MirrorCopy, local: LocalCopy | undefined) {
  const kept = createKeptResponses(join(options.folder, "responses"));
  const passedRequests = createPassedRequests(options.client, kept, options.refreshMs);
  const refresher = createRefresher(options, copy);
  let routing: Routing | undefined;
  const attachServer: RunningProject["attachServer"] = (server) => app().attachServer(server);
  const trim = (): void => app().trim();

  function app(): Pick<RunningProject, "handle" | "attachServer" | "trim"> {
    return local ?? copy.generations!;
  }

  function project(): Project {
    return local?.project ?? copy.generations!.project;
  }

  const refreshIfDue = async (): Promise<void> => (local ? undefined : refresher.refreshIfDue());

  /** The routes and headers of what is served now. */
  function routingNow(): Routing {
    const [current, state] = [project(), copy.state!];
    if (routing?.project !== current || routing.state !== state) {
      const { settings, model } = current;
      const routes = createRoutes({ state, model, settings, writes: local !== undefined });
      routing = { project: current, state, routes, headers: new CommonHeaders(settings.http) };
    }
    return routing;
  }

  async function handle(request: Request): Promise<Response> {
    const { routes, headers } = routingNow();
    try {
      checkClient(request, options);
      const { path, search } = splitUrl(request.url);
      const destination = routes.find(request.method, path, search);
      const passed =
        destination === "origin" || destination === "copyFirst"
          ? await passedRequest(request, path, search)
          : undefined;
      return await answer(request, destination, passed, headers);
    } catch (error) {
      return respondToError(error, headers.of(request));
    }
  }

  async function answer(
    request: Request,
    destination: Destination,
    passed: PassedRequest | undefined,
    headers: CommonHeaders,
  ): Promise<Response> {
    if (destination === "refused") throw refusedWrite(options);
    if (destination === "origin") return pass(request, passed!, headers);
    if (destination === "here") return app().handle(request);
    await refreshIfDue();
    // the copy has only what the token of the mirror may read
    request.headers.delete("authorization");
    const response = await app().handle(request);
    if (destination === "copyFirst" && response.status === 404) return pass(request, passed!, headers);
    return local ? response : withAge(response, copy.state!.checkedAt, options);
  }

  async function pass(request: Request, passed: PassedRequest, headers: CommonHeaders): Promise<Response> {
    const { status, body, checkedAt, headers: own } = await passedRequests.answer(passed);
    const all = headers.of(request);
    for (const [name, value] of Object.entries(own)) all.set(name, value);
    return withAge(new Response(request.method === "HEAD" ? null : body, { status, headers: all }), checkedAt, options);
  }

  async function close(): Promise<void> {
    await refresher.close();
    await local?.close();
    await copy.close();
    kept.close();
  }

  return { handle, attachServer, trim, project, content: undefined, reload: refresher.reload, refreshIfDue, close };
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
  let mirror: ReturnType<typeof createMirror> | undefined;
  try {
    if (!copy.generations) await readFirst(copy, options.report);
    mirror = createMirror(options, copy, options.writes ? await openLocalCopy(copy, options) : undefined);
    await mirror.refreshIfDue();
    return mirror;
  } catch (error) {
    await (mirror ?? copy).close();
    throw error;
  }
}
