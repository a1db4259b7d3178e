/** `ctx.cookies`: reads and sets cookies, signed with the application's keys, like the `cookies` package that Koa uses. */
import type { ResponseView } from "./response-view.ts";

type Options = Readonly<Record<string, unknown>>;

export interface Cookies {
  /** Whether the request came over HTTPS. */
  readonly secure: boolean;
  readonly get: (name: string, options?: Options) => string | undefined;
  readonly set: (name: string, value?: string | null, options?: Options) => Cookies;
}

export interface CookieParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly response: ResponseView;
  /** Whether the request came over HTTPS: only then cookies may be `secure`. */
  readonly isSecure: boolean;
  /** The first signs cookies, all verify them. Without any, cookies are not signed. */
  readonly keys: readonly string[];
}

const CONTENT = /^[\t\x20-\x7e\x80-\xff]+$/;

/** What an option must match if it is set. */
const patterns: Readonly<Record<string, RegExp>> = {
  path: /^[ -:=-~]*$/,
  domain: /^\.?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i,
  priority: /^(?:low|medium|high)$/i,
  sameSite: /^(?:lax|none|strict|true)$/i,
};

function check(name: string, value: string, options: Options): void {
  if (!CONTENT.test(name) || /[;=]/.test(name)) throw new TypeError("argument name is invalid");
  if (value !== "" && (!CONTENT.test(value) || value.includes(";"))) throw new TypeError("argument value is invalid");
  for (const [option, pattern] of Object.entries(patterns))
    if (options[option] && !pattern.test(String(options[option]))) throw new TypeError(`option ${option} is invalid`);
  const { maxAge } = options;
  if (typeof maxAge === "number" ? !Number.isFinite(maxAge) : maxAge) throw new TypeError("option maxAge is invalid");
}

/** An empty value removes the cookie. */
function serialize(name: string, value: string, options: Options): string {
  check(name, value, options);
  const { path = "/", domain, priority, sameSite, secure, httpOnly = true, partitioned, maxAge } = options;
  const ends = maxAge ? Date.now() + Number(maxAge) : options.expires;
  const expires = value === "" ? 0 : ends;
  return [
    `${name}=${value}`,
    path ? `path=${path}` : [],
    expires === undefined || expires === null
      ? []
      : `expires=${new Date(expires as string | number | Date).toUTCString()}`,
    domain ? `domain=${domain}` : [],
    priority ? `priority=${String(priority).toLowerCase()}` : [],
    sameSite ? `samesite=${sameSite === true ? "strict" : String(sameSite).toLowerCase()}` : [],
    secure ? "secure" : [],
    httpOnly ? "httponly" : [],
    partitioned ? "partitioned" : [],
  ]
    .flat()
    .join("; ");
}

const sign = (text: string, key: string): string =>
  new Bun.CryptoHasher("sha1", key)
    .update(text)
    .digest("base64")
    .replace(/[/+=]/g, (letter) => ({ "/": "_", "+": "-", "=": "" })[letter]!);

function equals(a: string, b: string): boolean {
  const { timingSafeEqual } = require("node:crypto") as typeof import("node:crypto");
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The value as it was sent, without quotes. */
function sentValue(header: string | undefined, name: string): string | undefined {
  const found = header?.split(/; */).find((part) => part.startsWith(`${name}=`));
  const value = found?.slice(name.length + 1).trim();
  return value?.startsWith('"') ? value.slice(1, -1) : value;
}

/** The keys that sign cookies, of `ctx.app`. */
export function appKeys(app: object): readonly string[] {
  const { keys } = app as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.map(String) : [];
}

export function createCookies({ headers, response, isSecure, keys }: CookieParts): Cookies {
  const cookies: Cookies = {
    secure: isSecure,
    // as in the package, only calls with options look at signatures
    get(name, options) {
      const value = sentValue(headers.cookie, name);
      if (value === undefined || !options || !(options.signed ?? keys.length > 0)) return value;
      const signature = sentValue(headers.cookie, `${name}.sig`);
      if (!signature) return undefined;
      const text = `${name}=${value}`;
      const index = keys.findIndex((key) => equals(signature, sign(text, key)));
      if (index < 0) cookies.set(`${name}.sig`, null, { path: "/", signed: false });
      else if (index > 0) cookies.set(`${name}.sig`, sign(text, keys[0]!), { signed: false });
      return index < 0 ? undefined : value;
    },
    set(name, value, options) {
      if (options?.secure && !isSecure) throw new Error("Cannot send secure cookie over unencrypted connection");
      const merged: Options = { ...options, secure: options?.secure ?? isSecure };
      const text = String(value ?? "");
      const add = (cookie: string, content: string) => {
        const line = serialize(cookie, content, merged);
        if (merged.overwrite) removeCookie(response, cookie);
        response.header.append("set-cookie", line);
      };
      add(name, text);
      if (options && (options.signed ?? keys.length > 0)) {
        const [key] = keys;
        if (key === undefined) throw new Error(".keys required for signed cookies");
        add(`${name}.sig`, sign(`${name}=${text}`, key));
      }
      return cookies;
    },
  };
  return cookies;
}

function removeCookie({ header }: ResponseView, name: string): void {
  const kept = header.getSetCookie().filter((line) => !line.startsWith(`${name}=`));
  header.delete("set-cookie");
  for (const line of kept) header.append("set-cookie", line);
}
