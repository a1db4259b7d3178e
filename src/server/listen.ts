/** Puts an application on a port. */

import type { App } from "./app.ts";
import { IdleCollector } from "./idle.ts";

export interface ListenOptions {
  readonly port: number;
  /** "localhost" is both 127.0.0.1 and ::1, since clients resolve it to either. */
  readonly host: string;
  /** Other processes may listen on the same port; the system shares connections out among them. Linux only. */
  readonly shared?: boolean;
  /** Called for every answer. */
  readonly log?: (method: string, path: string, status: number, milliseconds: number) => void;
}

export interface Listening {
  readonly port: number;
  /** Finishes what is being answered, then closes. */
  stop(): Promise<void>;
}

/** The largest body that is read at all: an upload. */
const MAX_BODY_BYTES = 2_000_000_000;

/** Throws with `code` EADDRINUSE for a port in use. */
export function listen(
  app: Pick<App, "handle" | "trim">,
  { port, host, shared = false, log }: ListenOptions,
): Listening {
  const idle = new IdleCollector(() => app.trim());
  const answer = (request: Request, server: Bun.Server<undefined>) => {
    idle.touch();
    const find = (): string => server.requestIP(request)?.address ?? "closed";
    if (request.method === "GET") return app.handle(request, find);
    // while the body is read, the connection may be closed by those who do not want to be known
    const address = find();
    return app.handle(request, () => address);
  };
  const fetch = log
    ? async (request: Request, server: Bun.Server<undefined>): Promise<Response> => {
        const start = performance.now();
        const response = await answer(request, server);
        const { pathname, search } = new URL(request.url);
        log(request.method, pathname + search, response.status, performance.now() - start);
        return response;
      }
    : answer;
  const serve = (hostname: string, on: number) =>
    Bun.serve({
      port: on,
      hostname,
      fetch,
      reusePort: shared,
      maxRequestBodySize: MAX_BODY_BYTES,
      idleTimeout: 120,
    });
  const stop = async (servers: readonly Bun.Server<undefined>[]): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    idle.stop();
  };
  if (host !== "localhost") {
    const server = serve(host, port);
    return { port: server.port!, stop: () => stop([server]) };
  }
  const first = serve("127.0.0.1", port);
  const servers = [first];
  try {
    servers.push(serve("::1", first.port!));
  } catch (error) {
    // a machine without IPv6 has only the one; a port in use there is as bad as here
    if ((error as { code?: string }).code === "EADDRINUSE") {
      first.stop(true);
      throw error;
    }
  }
  return { port: first.port!, stop: () => stop(servers) };
}
