/** A route: method, path from the root, and handler. `server/elysia-app.ts` registers the routes of all areas. */
import type { ClientAddress } from "../engine/access/rate-limit.ts";
import type { Method } from "./actions.ts";

/** The part of Bun's server that returns client addresses and upgrades requests to WebSockets. */
export interface RequestServer {
  readonly requestIP: (request: Request) => { readonly address: string } | null;
  /** `data` gets the events of the socket. Returns whether the request was upgraded and needs no response. */
  readonly upgrade?: (
    request: Request,
    options: { readonly data: SocketEvents; readonly headers: Record<string, string> },
  ) => boolean;
}

export type SocketMessage = string | ArrayBuffer | Uint8Array<ArrayBuffer>;

export interface ClientSocket {
  readonly send: (message: SocketMessage) => number;
  readonly close: (code?: number, reason?: string) => void;
}

/** The events of a client's socket. */
export interface SocketEvents {
  readonly open: (socket: ClientSocket) => void;
  readonly message: (message: SocketMessage) => void;
  readonly close: (code: number, reason: string) => void;
}

export interface HttpContext {
  readonly request: Request;
  /** By the names in the path, decoded. The rest that `*` matches is under `*`, not decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Null for in-process requests. */
  readonly server: RequestServer | null;
}

export interface HttpRoute {
  readonly method: Method | "ALL";
  /** From the root of the server; `:name` is a parameter, `*` at the end matches the rest. */
  readonly path: string;
  /** May throw; errors are formatted in one place. */
  readonly handle: (context: HttpContext) => Response | Promise<Response>;
}

/** The path of a URL, not decoded, and the query string without the question mark. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  return queryStart < 0
    ? { path: url.slice(pathStart), search: "" }
    : { path: url.slice(pathStart, queryStart), search: url.slice(queryStart + 1) };
}

/**
 * The client's address, looked up on demand. For requests with a body it is looked up immediately, since it is lost when the
 * client closes the connection.
 */
export function clientAddress({ request, server }: HttpContext): ClientAddress {
  if (!server) return () => undefined;
  const find = (): string => server.requestIP(request)?.address ?? "closed";
  if (request.method === "GET") return find;
  const address = find();
  return () => address;
}

/**
 * Prepares the routes of all areas for a router: of several for the same method and path the first wins, and parameters at the
 * same position get the same name. Handlers still get parameters by their own names.
 */
export function distinctRoutes(areas: readonly (readonly HttpRoute[])[]): HttpRoute[][] {
  const names = new Map<string, string>();
  const registered = new Set<string>();
  const addDistinct = ({ method, path, handle }: HttpRoute, list: HttpRoute[]): void => {
    const { key, path: distinctPath, renamed } = nameParameters(method, path, names);
    if (registered.has(key)) return;
    registered.add(key);
    list.push({
      method,
      path: distinctPath,
      handle: renamed.length === 0 ? handle : withDeclaredNames(handle, renamed),
    });
  };
  // plain loops, since this runs at every start
  const distinctAreas: HttpRoute[][] = [];
  for (const routes of areas) {
    const distinctOfArea: HttpRoute[] = [];
    for (const route of routes) addDistinct(route, distinctOfArea);
    distinctAreas.push(distinctOfArea);
  }
  return distinctAreas;
}

type Renamed = readonly (readonly [own: string, name: string])[];

const NONE: Renamed = [];

const PARAMETER = "/:";

/** `names`: the names of parameters so far, by the path in front of them. */
function nameParameters(method: string, path: string, names: Map<string, string>) {
  if (!path.includes(PARAMETER)) return { key: `${method}${path.toLowerCase()}`, path, renamed: NONE };
  const renamed: [own: string, name: string][] = [];
  let key: string = method;
  const segments = path.split("/").map((segment) => {
    if (!segment.startsWith(":")) {
      key += `/${segment.toLowerCase()}`;
      return segment;
    }
    key += "/:";
    const declaredName = segment.slice(1);
    const name = names.getOrInsert(key, declaredName);
    if (name !== declaredName) renamed.push([declaredName, name]);
    return `:${name}`;
  });
  return { key, path: segments.join("/"), renamed: renamed as Renamed };
}

const withDeclaredNames =
  (handle: HttpRoute["handle"], renamed: Renamed): HttpRoute["handle"] =>
  (context) => {
    const ownParams = renamed.map(([own, name]) => [own, context.params[name]!]);
    return handle({ ...context, params: { ...context.params, ...Object.fromEntries(ownParams) } });
  };

/** Sets headers, overwriting existing ones. */
export function setHeaders(headers: Headers, added: Readonly<Record<string, string>>): Headers {
  for (const name in added) headers.set(name, added[name]!);
  return headers;
}
