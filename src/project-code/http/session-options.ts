/** Reads the options of `strapi::session`. */
import { isRecord } from "../../query/key-check.ts";

/** `config` of `strapi::session`. */
export interface SessionOptions {
  readonly key: string;
  /** Milliseconds, or `session`: until the browser is closed. */
  readonly maxAge: number | "session";
  readonly autoCommit: boolean;
  /** Whether every response renews the cookie, or those in the second half of its life. */
  readonly rolling: boolean;
  readonly renew: boolean;
  /** Options of the cookie. */
  readonly cookie: Readonly<Record<string, unknown>>;
}

const DAY_MS = 86_400_000;

/** The options in `config/middlewares`; undefined if the list has no `strapi::session`. */
export function sessionOptions(list: unknown, isProduction: boolean): SessionOptions | undefined {
  const entries: readonly unknown[] = Array.isArray(list) && list.length > 0 ? list : ["strapi::session"];
  const found = entries.find((entry) => (isRecord(entry) ? entry.name : entry) === "strapi::session");
  if (found === undefined) return undefined;
  const config = isRecord(found) && isRecord(found.config) ? found.config : {};
  const { key = "koa.sess", maxAge = DAY_MS, autoCommit = true, rolling = false, renew = false, ...cookie } = config;
  return {
    key: String(key),
    maxAge: maxAge === "session" ? maxAge : Number(maxAge) || DAY_MS,
    autoCommit: autoCommit !== false,
    rolling: rolling === true,
    renew: renew === true,
    cookie: { overwrite: true, httpOnly: true, signed: true, secure: isProduction, ...cookie },
  };
}
