/**
 * A project and its branches on one port, for tests in any language: a branch is chosen by a header or by the prefix of a path, and
 * made, dropped and asked over HTTP.
 */
import type { RequestServer } from "../api/http-route.ts";
import { parseJson } from "../api/rest/body.ts";
import { respondToError } from "../api/rest/respond.ts";
import { namesThisMachine } from "../engine/access/client-address.ts";
import { type Serving, servingOf } from "../kit/server-of.ts";
import { ApiError, forbidden, notFound, validationError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { readShortBody } from "../lib/short-body.ts";
import type { Galley } from "../public-types.ts";
import { Branches, type BranchLimits, MAIN } from "./branches.ts";
import { callFunction } from "./server.ts";

const HEADER = "X-Galley-Branch";
const PATH = "/_branches";
/** Nothing, or a name and what is below it. */
const BELOW = /^\/_branches(?:\/?(?:\?.*)?|\/([^/?]*)(\/.*)?(?:\?.*)?)$/s;
/** Functions of a branch are below it. */
const FUNCTIONS = "/_test/";
const MAX_BODY_BYTES = 1_000_000;

const textOf = (value: unknown, what: string): string => {
  if (typeof value === "string") return value;
  throw validationError(`${what} must be a string`);
};

async function readJson(request: Request): Promise<unknown> {
  const text = await readShortBody(request, MAX_BODY_BYTES);
  if (text === undefined) throw new ApiError("BodyTooLargeError", `The body is longer than ${MAX_BODY_BYTES} bytes`);
  return parseJson(text);
}

/** What a function of a test refuses is no defect of the server: its whole message is for the test. */
function respondToRefusal(error: unknown): Response {
  if (error instanceof ApiError || !(error instanceof Error)) return respondToError(error, new Headers());
  const { message } = error;
  return Response.json({ data: null, error: { status: 400, name: "Error", message, details: {} } }, { status: 400 });
}

/** Paths of the branch's own responses, as a client of the prefix has to request them. */
function withPrefix(response: Response, prefix: string): Response {
  const location = response.headers.get("location");
  const cookies = response.headers.getSetCookie();
  if (!location?.startsWith("/") && cookies.length === 0) return response;
  const headers = new Headers(response.headers);
  if (location?.startsWith("/")) headers.set("Location", prefix + location);
  headers.delete("Set-Cookie");
  for (const cookie of cookies) headers.append("Set-Cookie", cookie.replace(/(;\s*path=)(?=\/)/i, `$1${prefix}`));
  return new Response(response.body, { status: response.status, headers });
}

const ALLOWED_HEADERS = "Access-Control-Allow-Headers";

/** Lets browsers send the header to this origin from pages of another, as they do for `extraHTTPHeaders` of Playwright. */
function allowHeader(response: Response): Response {
  if (!response.headers.has(ALLOWED_HEADERS)) return response;
  const headers = new Headers(response.headers);
  headers.append(ALLOWED_HEADERS, HEADER);
  return new Response(response.body, { status: response.status, headers });
}

/** The page's links lead out of a prefix. */
const isAdminPage = (method: string, path: string, headers: Headers): boolean =>
  method === "GET" && /^\/admin(?![\w-])/.test(path) && headers.get("accept")?.includes("text/html") === true;

const prefixOf = (name: string): string => `${PATH}/${name}`;

/** The branch that a request makes. */
async function readBranch(request: Request): Promise<{ readonly from: string; readonly name: string | undefined }> {
  const body = (await readJson(request)) ?? {};
  if (!isRecord(body)) throw validationError("The body must be an object");
  const from = body.from === undefined ? MAIN : textOf(body.from, "from");
  const name = body.name === undefined ? undefined : textOf(body.name, "name");
  const unknown = Object.keys(body).find((key) => key !== "from" && key !== "name");
  if (unknown !== undefined) throw validationError(`Invalid key ${unknown}; there are name and from`);
  return { from, name };
}

const callOverHttp = (branches: Branches, name: string, functionName: string, request: Request): Promise<Response> =>
  branches.use(name, async (branch) => {
    if (request.method !== "POST") throw notFound("Functions of tests are called with POST");
    const args = (await readJson(request)) ?? [];
    if (!Array.isArray(args)) throw validationError("The body must be a list: the arguments of the function");
    return Response.json({ data: (await callFunction(branch, functionName, args)) ?? null });
  });

export interface BranchServer extends Serving {
  readonly handle: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export function createBranchServer(main: Galley, limits?: Partial<BranchLimits>): BranchServer {
  let address = "";
  let server: RequestServer | undefined;
  /** By the request that a branch gets. */
  const received = new WeakMap<Request, Request>();
  const original = (request: Request): Request => received.get(request) ?? request;
  const attached: RequestServer = {
    requestIP: (request) => server?.requestIP(original(request)) ?? null,
    upgrade: (request, options) => server?.upgrade?.(original(request), options) ?? false,
  };
  const connect = (galley: Galley, name: string): void => {
    const { attachServer, setAddress } = servingOf(galley);
    attachServer(attached);
    setAddress(name === MAIN ? address : address + prefixOf(name));
  };
  const branches = new Branches(main, connect, limits);
  const describe = (branch: { readonly name: string; readonly from: string | undefined }) => ({
    ...branch,
    url: address + prefixOf(branch.name),
  });

  const handleBelow = (name: string, path: string, request: Request): Promise<Response> =>
    branches.use(name, async ({ galley }) => {
      if (isAdminPage(request.method, path, request.headers)) {
        const url = galley.serve();
        connect(galley, name);
        return Response.redirect(url + path, 307);
      }
      const inner = new Request(new URL(request.url).origin + path, request);
      received.set(inner, request);
      return withPrefix(await galley.handle(inner), prefixOf(name));
    });

  const manage = async (name: string | undefined, request: Request): Promise<Response> => {
    const { method } = request;
    if (name === undefined && method === "GET") return Response.json({ data: branches.list().map(describe) });
    if (name === undefined && method === "POST") {
      const { from, name: wanted } = await readBranch(request);
      const made = await branches.make(from, wanted);
      return Response.json({ data: describe({ name: made, from }) }, { status: 201 });
    }
    if (name !== undefined && method === "DELETE") {
      await branches.drop(name);
      return new Response(null, { status: 204 });
    }
    throw notFound(
      `There are GET and POST ${PATH}, and DELETE ${PATH}/NAME; requests of a branch are below ${PATH}/NAME/`,
    );
  };

  const handle = async (request: Request): Promise<Response> => {
    const path = request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2));
    const below = BELOW.exec(path);
    if (!below)
      return branches.use(request.headers.get(HEADER) ?? MAIN, async ({ galley }) =>
        allowHeader(await galley.handle(request)),
      );
    const [, name, rest] = below;
    const isFunction = rest?.startsWith(FUNCTIONS) === true;
    if ((name === undefined || rest === undefined || isFunction) && !namesThisMachine(request))
      throw forbidden("Branches are for clients on this machine");
    if (name === undefined || rest === undefined) return manage(name, request);
    return isFunction
      ? callOverHttp(branches, name, rest.slice(FUNCTIONS.length).split("?")[0]!, request)
      : handleBelow(name, rest, request);
  };
  return {
    handle: (request) => handle(request).catch(respondToRefusal),
    attachServer: (next) => {
      server = next;
    },
    trim: () => branches.each((galley) => servingOf(galley).trim()),
    endStreams: () => branches.each((galley) => servingOf(galley).endStreams()),
    setAddress: (url) => {
      address = url;
      servingOf(main).setAddress(url);
    },
    close: () => branches.close(),
  };
}
