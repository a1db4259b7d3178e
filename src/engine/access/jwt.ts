/** Tokens of signed-in users: HS256 only. */
import type * as Jose from "jose";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../lib/errors.ts";

export type Claims = Readonly<Record<string, unknown>>;

const ALGORITHM = "HS256";
/** Longer than any issued token. */
const MAX_LENGTH = 4_096;
/** One spelling per token: base64url without padding. */
const SPELLING = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export class Jwt {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.#key = new TextEncoder().encode(secret);
    this.#clock = clock;
  }

  /** Both of one moment: clients take their difference for the lifespan. */
  #times(lifespan: number): { readonly exp: number; readonly iat: number } {
    const iat = Math.floor(this.#clock.now() / 1000);
    return { exp: Math.floor(iat + lifespan), iat };
  }

  /** Valid for `lifespan` seconds, with the time of issue. */
  sign(claims: Claims, lifespan: number): Promise<string> {
    return this.#signed({ ...claims, ...this.#times(lifespan) });
  }

  /** Valid until `expires` (seconds since 1970), without the time of issue. */
  signUntil(claims: Claims, expires: number): Promise<string> {
    return this.#signed({ ...claims, exp: expires });
  }

  async #signed(claims: Claims): Promise<string> {
    const { SignJWT } = (await import("jose")) as typeof Jose;
    return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: "JWT" }).sign(this.#key);
  }

  /** As `sign`, synchronously. */
  issue(claims: Claims, lifespan: number): string {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
    const text = `${encode({ alg: ALGORITHM, typ: "JWT" })}.${encode({ ...claims, ...this.#times(lifespan) })}`;
    return `${text}.${new Bun.CryptoHasher("sha256", this.#key).update(text).digest("base64url")}`;
  }

  /** Undefined for an expired, not yet valid, wrongly signed or malformed token. */
  async verify(token: string): Promise<Claims | undefined> {
    if (token.length > MAX_LENGTH || !SPELLING.test(token)) return undefined;
    const { jwtVerify, errors } = (await import("jose")) as typeof Jose;
    try {
      const options = { algorithms: [ALGORITHM], currentDate: new Date(this.#clock.now()) };
      return (await jwtVerify(token, this.#key, options)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  /** As `verify`, synchronously. */
  check(token: string): Claims | undefined {
    if (token.length > MAX_LENGTH || !SPELLING.test(token)) return undefined;
    const [header = "", body = "", signature = ""] = token.split(".");
    const hasher = new Bun.CryptoHasher("sha256", this.#key).update(`${header}.${body}`);
    const { timingSafeEqual } = require("node:crypto") as typeof import("node:crypto");
    const [given, expected] = [Buffer.from(signature), Buffer.from(hasher.digest("base64url"))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    try {
      const [{ alg }, claims] = [header, body].map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
      const { exp, nbf } = claims;
      const now = this.#clock.now() / 1000;
      const isCurrent = (exp === undefined || exp > now) && (nbf === undefined || nbf <= now);
      return alg === ALGORITHM && isCurrent ? (claims as Claims) : undefined;
    } catch {
      // signed with the same secret, but no token
      return undefined;
    }
  }
}

export const invalidCredentials = (): ApiError => new ApiError("UnauthorizedError", "Missing or invalid credentials");
