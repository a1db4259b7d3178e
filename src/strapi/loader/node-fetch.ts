/** `fetch` for code, which rejects as on Node where a connection fails: code looks for the code of the cause. */

/** The runtime's error has a code; others, such as those of timeouts and invalid URLs, are the same as on Node but for their words. */
const isConnection = (error: unknown): boolean =>
  error instanceof Error && /^E[A-Z]+$/.test(String((error as NodeJS.ErrnoException).code));

export const nodeFetch: typeof fetch = Object.assign(
  async (...args: Parameters<typeof fetch>): Promise<Response> => {
    // the runtime's error does not name the code that has called
    const call = new Error();
    try {
      return await fetch(...args);
    } catch (error) {
      const failure = isConnection(error) ? new TypeError("fetch failed", { cause: error }) : error;
      const [, , ...frames] = call.stack?.split("\n") ?? [];
      if (failure instanceof Error && frames.length > 0) failure.stack = [failure.stack, ...frames].join("\n");
      throw failure;
    }
  },
  { preconnect: fetch.preconnect },
);
