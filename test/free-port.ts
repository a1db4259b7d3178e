/** Below those that systems give away: to servers without a port of their own, and to the other end of each request. */
const FIRST_PORT = 10_000;
const PORTS = 10_000;

/** A port that nothing listens on just now, and that nothing else is likely to be given before it is used. */
export function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      void Bun.serve({ port, fetch: () => new Response() }).stop(true);
      return port;
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    }
  }
}
