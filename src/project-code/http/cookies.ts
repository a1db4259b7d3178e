/** `ctx.cookies`: reads cookies of the request and sets cookies of the response. */
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

const withoutSeparators = (text: unknown): string => String(text).replace(/[;\r\n]/g, "");

function serialize(name: string, value: string, options: Readonly<Record<string, unknown>>): string {
  const parts = [`${withoutSeparators(name)}=${withoutSeparators(value)}`];
  for (const [option, attribute] of OPTIONS) {
    const optionValue = option === "path" ? (options.path ?? "/") : options[option];
    if (optionValue !== undefined && optionValue !== false)
      parts.push(`${attribute}=${optionValue === true ? "Strict" : withoutSeparators(optionValue)}`);
  }
  const maxAge = options.maxAge;
  const expires =
    value === "" ? new Date(0) : (options.expires ?? (typeof maxAge === "number" ? Date.now() + maxAge : undefined));
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
