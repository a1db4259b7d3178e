/** `strapi.service("admin::encryption")`, in Strapi's format: `v1`, the nonce, the text and its tag, so that each reads what the other wrote. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Members } from "../loader/plugin.ts";
import type { Log } from "../runtime.ts";

const VERSION = "v1";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 16;
const TAG_BYTES = 16;

/** `secret`: `secrets.encryptionKey` of `config/admin`; without one, both members return null, with a warning. */
export function createEncryption(secret: () => unknown, log: Log): Members {
  const createKey = (): Buffer | null => {
    const text = secret();
    if (typeof text === "string" && text !== "") return createHash("sha256").update(text).digest();
    log.warn("nothing is encrypted or decrypted without secrets.encryptionKey in config/admin");
    return null;
  };
  return {
    encrypt: (value: string): string | null => {
      const key = createKey();
      if (!key) return null;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
      return [VERSION, ...[nonce, text, cipher.getAuthTag()].map((part) => part.toString("hex"))].join(":");
    },
    decrypt: (encrypted: string): string | null => {
      const [version, ...parts] = encrypted.split(":");
      if (version !== VERSION) throw new Error(`Unsupported encryption version: ${version}`);
      const [nonce, text, tag] = parts.map((part) => Buffer.from(part, "hex"));
      if (!nonce?.length || !text?.length || !tag?.length) throw new Error("Invalid encrypted value format");
      const key = createKey();
      if (!key) return null;
      try {
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(tag);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
      } catch {
        log.warn("a value cannot be decrypted: it was changed, or encrypted with another secrets.encryptionKey");
        return null;
      }
    },
  };
}
