/** `ctx.onerror`: Koa's own response to an error, as text. */
import type { RequestView } from "./request-view.ts";
import type { ResponseView } from "./response-view.ts";
import { statusTexts } from "./statuses.ts";

interface ThrownError extends Error {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
  readonly expose?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Replaces the headers, and ends the response. Reports the error to listeners of the application. */
export function respondPlainly(
  { response, request }: { readonly response: ResponseView; readonly request: RequestView },
  thrown: unknown,
): void {
  const error: ThrownError =
    thrown instanceof Error ? thrown : new Error(`non-error thrown: ${JSON.stringify(thrown)}`);
  (request.app as { readonly emit?: (...args: readonly unknown[]) => unknown }).emit?.("error", error);
  if (response.headerSent) return;
  for (const name of response.res.getHeaderNames()) response.res.removeHeader(name);
  response.set(error.headers ?? {});
  const status = error.code === "ENOENT" ? 404 : (error.status ?? error.statusCode);
  response.status = typeof status === "number" && statusTexts[status] !== undefined ? status : 500;
  response.type = "text";
  response.res.end(error.expose === true ? error.message : statusTexts[response.status]);
}
