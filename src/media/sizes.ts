/** Sizes of files as the reference counts them: 1 KB is 1000 bytes, kept to two decimals. */
import { ApiError } from "../errors.ts";

export const kilobytes = (bytes: number): number => Math.round((bytes / 1000) * 100) / 100;

const UNITS = ["Bytes", "KB", "MB", "GB", "TB"] as const;

function readable(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Math.round(bytes / 1000 ** unit)} ${UNITS[unit]}`;
}

/** Throws a PayloadTooLargeError; the rounded size is what counts, and a limit of 0 is none. */
export function checkSize(name: string, bytes: number, limit: number): void {
  if (limit > 0 && kilobytes(bytes) * 1000 > limit) {
    throw new ApiError("PayloadTooLargeError", `${name} exceeds size limit of ${readable(limit)}.`);
  }
}
