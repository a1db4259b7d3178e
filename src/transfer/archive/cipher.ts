/** Encryption of archives in the format of `strapi export`: AES-128-ECB with a key derived from the password by scrypt. */
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import type { Transform } from "node:stream";

const ALGORITHM = "aes-128-ecb";
const KEY_BYTES = 16;

const deriveKey = (password: string): Buffer => scryptSync(password, "", KEY_BYTES);

export const encryptStream = (password: string): Transform => createCipheriv(ALGORITHM, deriveKey(password), null);

/** With a wrong password, the stream fails at its end at the latest. */
export const decryptStream = (password: string): Transform => createDecipheriv(ALGORITHM, deriveKey(password), null);
