/** Tokens of signed-in users: HS256 only. */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";

export type Claims = Readonly<Record<string, unknown>>;

const ALGORITHM = "HS256";
/** Longer than any issued token. */
const MAX_LENGTH = 4_096;
/** One spelling per token: base64url without padding. */
const SPELLING = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export class Jwt {
  /** `jwtSecret` of Strapi. */
  readonly secret: string;
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.secret = secret;
    this.#key = new TextEncoder().encode(secret);
    this.#clock = clock;
  }

  /** Valid for `lifespan` seconds, with the time of issue. Both are of one moment: clients take their difference for the lifespan. */
  sign(claims: Claims, lifespan: number): string {
    const iat = Math.floor(this.#clock.now() / 1000);
    return this.signUntil({ ...claims, iat }, Math.floor(iat + lifespan));
  }

  /** Valid until `expires` (seconds since 1970), without the time of issue. */
  signUntil(claims: Claims, expires: number): string {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
    const text = `${encode({ alg: ALGORITHM, typ: "JWT" })}.${encode({ ...claims, exp: expires })}`;
    return `${text}.${this.#signature(text)}`;
  }

  #signature(text: string): string {
    return new Bun.CryptoHasher("sha256", this.#key).update(text).digest("base64url");
  }

  /** Undefined for an expired, not yet valid, wrongly signed or malformed token. */
  verify(token: string): Claims | undefined {
    if (token.length > MAX_LENGTH || !SPELLING.test(token)) return undefined;
    const [header = "", body = "", signature = ""] = token.split(".");
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.#signature(`${header}.${body}`))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    try {
      const [{ alg, crit }, claims] = [header, body].map((part) =>
        JSON.parse(Buffer.from(part, "base64url").toString()),
      );
      const { exp, nbf } = claims;
      const now = this.#clock.now() / 1000;
      const isCurrent = (exp === undefined || exp > now) && (nbf === undefined || nbf <= now);
      // no extension is known that a header could call critical
      return alg === ALGORITHM && crit === undefined && isCurrent ? (claims as Claims) : undefined;
    } catch {
      // signed with the same secret, but no token
      return undefined;
    }
  }
}
