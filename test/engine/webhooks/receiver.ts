/** A server on this machine that records the requests of webhooks. */
import { until } from "../../until.ts";

export interface Received {
  readonly path: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Resolves with what was received since the last call, once it is as many requests. */
  readonly next: (count: number) => Promise<Received[]>;
  readonly stop: () => Promise<void>;
}

/** `answer`: by default an empty response. */
export function startReceiver(answer: (path: string) => Response | Promise<Response> = () => new Response()): Receiver {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      received.push({ path, headers: request.headers, body: await request.json() });
      return answer(path);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    next: async (count) => {
      await until(`${count} requests`, () => received.length >= count);
      return received.splice(0);
    },
    stop: () => server.stop(true),
  };
}
