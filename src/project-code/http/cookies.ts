/** `ctx.cookies`: reads those of the request and sets those of the response. */
import type { ResponseView } from "./response-view.ts";

export interface Cookies {
  readonly get: (name: string, options?: object) => string | undefined;
  readonly set: (name: string, value?: string | null, options?: Readonly<Record<string, unknown>>) => Cookies;
}

const OPTIONS: readonly (readonly [option: string, attribute: string])[] = [
  ["path", "Path"],
  ["domain", "Domain"],
  ["sameSite", "SameSite"],
];

const plain = (text: unknown): string => String(text).replace(/[;\r\n]/g, "");

function serialize(name: string, value: string, options: Readonly<Record<string, unknown>>): string {
  const parts = [`${plain(name)}=${plain(value)}`];
  for (const [option, attribute] of OPTIONS) {
    const given = option === "path" ? (options.path ?? "/") : options[option];
    if (given !== undefined && given !== false) parts.push(`${attribute}=${given === true ? "Strict" : plain(given)}`);
  }
  const age = options.maxAge;
  const expires =
    value === "" ? new Date(0) : (options.expires ?? (typeof age === "number" ? Date.now() + age : undefined));
  if (expires !== undefined) parts.push(`Expires=${new Date(expires as string | number | Date).toUTCString()}`);
  if (options.secure) parts.push("Secure");
  if (options.httpOnly !== false) parts.push("HttpOnly");
  return parts.join("; ");
}

export function createCookies(headers: Readonly<Record<string, string>>, response: ResponseView): Cookies {
  const sent = new Bun.CookieMap(headers.cookie ?? "");
  const cookies: Cookies = {
    get: (name) => sent.get(name) ?? undefined,
    set: (name, value, options = {}) => {
      response.header.append("set-cookie", serialize(name, value ?? "", options));
      return cookies;
    },
  };
  return cookies;
}
