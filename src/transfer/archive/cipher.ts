/** Encryption of archives, as `strapi export` does it: AES-128-ECB with a key derived by scrypt from the password. */
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import type { Transform } from "node:stream";

const ALGORITHM = "aes-128-ecb";
const KEY_BYTES = 16;

const keyOf = (password: string): Buffer => scryptSync(password, "", KEY_BYTES);

export const encryptStream = (password: string): Transform => createCipheriv(ALGORITHM, keyOf(password), null);

/** The stream fails for a wrong password, at the latest at its end. */
export const decryptStream = (password: string): Transform => createDecipheriv(ALGORITHM, keyOf(password), null);
