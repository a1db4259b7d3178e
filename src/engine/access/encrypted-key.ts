/** Keys of API tokens that can be shown again: AES-256-GCM, with a key that is derived from a secret of the server. */
import type * as nodeCrypto from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Loaded lazily: it takes some milliseconds of a start. */
const nodeCryptoModule = () => require("node:crypto") as typeof nodeCrypto;

const cipherKey = (secret: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", secret).update("galley: keys of API tokens").digest();

export function encryptKey(key: string, secret: string): string {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const cipher = nodeCryptoModule().createCipheriv(ALGORITHM, cipherKey(secret), iv);
  const parts = [iv, cipher.update(key, "utf8"), cipher.final()];
  return Buffer.concat([...parts, cipher.getAuthTag()]).toString("base64");
}

/** Undefined for a value that was encrypted with another secret or modified. */
export function decryptKey(encrypted: string, secret: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = nodeCryptoModule().createDecipheriv(ALGORITHM, cipherKey(secret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
