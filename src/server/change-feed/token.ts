/**
 * Tokens of the change feed: positions in the change log, encrypted and authenticated. Each token differs from all others, also from those of
 * the same position, so that they do not show whether anything happened in between.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from "node:crypto";
import type { Cursor } from "../../engine/storage/change-log/own-changes.ts";

export interface Position {
  /** The id of an epoch of the log. */
  readonly epoch: string;
  readonly sequence: number;
  /** Of what is listed: 8 bytes in hexadecimal digits. */
  readonly scope: string;
  /** Where a listing of everything continues; afterwards, the changes since `sequence` follow. */
  readonly cursor: Cursor | undefined;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const EPOCH_BYTES = 16;
const SCOPE_BYTES = 8;
/** Epoch, scope, sequence, table and row. */
const POSITION_BYTES = EPOCH_BYTES + SCOPE_BYTES + 3 * 8;
/** The first six bits of what begins with a dash in base64url. */
const DASH = 62;
const TOKEN_BYTES = IV_BYTES + TAG_BYTES + POSITION_BYTES;
/** Tables have numbers from 1. */
const NO_CURSOR: Cursor = { table: 0, row: 0 };

function writePosition({ epoch, scope, sequence, cursor = NO_CURSOR }: Position): Buffer {
  const bytes = Buffer.from(epoch + scope + "00".repeat(3 * 8), "hex");
  [sequence, cursor.table, cursor.row].forEach((number, index) => {
    bytes.writeDoubleBE(number, EPOCH_BYTES + SCOPE_BYTES + 8 * index);
  });
  return bytes;
}

function readPosition(bytes: Buffer): Position {
  const [sequence, table, row] = [0, 1, 2].map((index) => bytes.readDoubleBE(EPOCH_BYTES + SCOPE_BYTES + 8 * index));
  const scope = bytes.toString("hex", EPOCH_BYTES, EPOCH_BYTES + SCOPE_BYTES);
  const cursor = table === NO_CURSOR.table ? undefined : { table: table!, row: row! };
  return { epoch: bytes.toString("hex", 0, EPOCH_BYTES), scope, sequence: sequence!, cursor };
}

/** `key`: that of the log. */
export function writeToken(key: string, position: Position): string {
  const iv = randomBytes(IV_BYTES);
  // on a command line it would be an option
  while (iv[0]! >> 2 === DASH) randomFillSync(iv);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, "base64"), iv);
  const encrypted = Buffer.concat([cipher.update(writePosition(position)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64url");
}

/** Whether a text looks like a token, of whatever log. */
export const isToken = (text: string): boolean =>
  /^[\w-]+$/.test(text) && Buffer.from(text, "base64url").length === TOKEN_BYTES;

/** Undefined for a token of another log. */
export function readToken(key: string, token: string): Position | undefined {
  const bytes = Buffer.from(token, "base64url");
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, "base64"), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const decrypted = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    decipher.final();
  } catch {
    // it is not authentic
    return undefined;
  }
  return readPosition(decrypted);
}
