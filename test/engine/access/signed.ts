/** Tokens of users as a client could make them, with the right secret and otherwise. */
import { createHmac } from "node:crypto";

export const SECRET = "a secret of the tests";
export const HS256 = { alg: "HS256", typ: "JWT" };

export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** In seconds since 1970, as claims have it. */
export const now = (): number => Math.floor(Date.now() / 1000);

export function signed(header: object, claims: object, key: string | Buffer = SECRET, hash = "sha256"): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`;
}
