/** Signed values: text that only the holder of the key can have made, valid until it expires. */

export interface Claims {
  /** A value for one purpose is never taken for another. */
  readonly use: "link" | "session";
  /** Random; identifies the value. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const FORM = /^(link|session)\.([\w-]{16})\.([\da-z]{8,9})\.([\da-z]{8,9})$/;
/** Longer values are invalid. */
const MAX_LENGTH = 100;
const ID_BYTES = 12;
/** Truncated from the 32 bytes of SHA-256. */
const SIGNATURE_BYTES = 16;

const signature = (key: string, text: string): Buffer =>
  Buffer.from(new Bun.CryptoHasher("sha256", key).update(text).digest()).subarray(0, SIGNATURE_BYTES);

/** Compares in constant time. */
function isSame(left: Buffer, right: Buffer): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  return difference === 0;
}

/** Creates a signed value with characters that are safe in URLs and cookies. */
export function sign(key: string, use: Claims["use"], lifetimeMs: number): string {
  const now = Date.now();
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("base64url");
  const text = [use, id, now.toString(36), (now + lifetimeMs).toString(36)].join(".");
  return `${text}.${signature(key, text).toString("base64url")}`;
}

/** The claims of a value for this use; undefined for one that is forged, for another use, or expired. */
export function verify(key: string, wanted: Claims["use"], value: string): Claims | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const end = value.lastIndexOf(".");
  const text = value.slice(0, end);
  if (end < 0 || !isSame(Buffer.from(value.slice(end + 1), "base64url"), signature(key, text))) return undefined;
  const [, use, id, issuedAt, expiresAt] = FORM.exec(text) ?? [];
  if (use !== wanted || id === undefined) return undefined;
  const claims: Claims = {
    use: wanted,
    id,
    issuedAt: Number.parseInt(issuedAt!, 36),
    expiresAt: Number.parseInt(expiresAt!, 36),
  };
  return claims.expiresAt > Date.now() ? claims : undefined;
}
