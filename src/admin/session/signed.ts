/** Signed tokens: strings that only the holder of the key can create, valid until they expire. */
import { timingSafeEqual } from "node:crypto";

export interface Claims {
  /** A token for one purpose is invalid for another. */
  readonly use: "link" | "session" | "agent";
  /** Random; identifies the token. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const PATTERN = /^(link|session|agent)\.([\w-]{16})\.([\da-z]{1,10})\.([\da-z]{1,10})$/;
/** Longer tokens are invalid. */
const MAX_LENGTH = 100;
const ID_BYTES = 12;
/** Truncated from the 32 bytes of SHA-256. */
const SIGNATURE_BYTES = 16;

const signature = (key: string, text: string): Buffer =>
  Buffer.from(new Bun.CryptoHasher("sha256", key).update(text).digest()).subarray(0, SIGNATURE_BYTES);

/** Whether it looks like the token of a link. */
export const isLink = (value: string): boolean => value.startsWith("link.");

/** Creates a signed token with characters that are safe in URLs and cookies. `now`: in milliseconds since 1970. */
export function sign(key: string, use: Claims["use"], lifetimeMs: number, now: number): string {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("base64url");
  const text = [use, id, now.toString(36), (now + lifetimeMs).toString(36)].join(".");
  return `${text}.${signature(key, text).toString("base64url")}`;
}

/** The claims of a token; undefined for one that is forged, expired, or for another use. */
export function verify(key: string, expectedUse: Claims["use"], value: string, now: number): Claims | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const end = value.lastIndexOf(".");
  const text = value.slice(0, end);
  const given = Buffer.from(value.slice(end + 1), "base64url");
  if (end < 0 || given.length !== SIGNATURE_BYTES || !timingSafeEqual(given, signature(key, text))) return undefined;
  const [, use, id, issuedAt, expiresAt] = PATTERN.exec(text) ?? [];
  if (use !== expectedUse || id === undefined) return undefined;
  const claims: Claims = {
    use: expectedUse,
    id,
    issuedAt: Number.parseInt(issuedAt!, 36),
    expiresAt: Number.parseInt(expiresAt!, 36),
  };
  return claims.expiresAt > now ? claims : undefined;
}
