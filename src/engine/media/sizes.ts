/** File sizes as in Strapi: 1 KB is 1000 bytes, rounded to two decimals. */
import { ApiError } from "../../lib/errors.ts";

export const kilobytes = (bytes: number): number => Math.round((bytes / 1000) * 100) / 100;

const UNITS = ["Bytes", "KB", "MB", "GB", "TB"] as const;

export function formatSize(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Math.round(bytes / 1000 ** unit)} ${UNITS[unit]}`;
}

/** Throws a PayloadTooLargeError if the rounded size exceeds the limit; 0 means no limit. */
export function checkSize(name: string, bytes: number, limit: number): void {
  if (limit > 0 && kilobytes(bytes) * 1000 > limit) {
    throw new ApiError("PayloadTooLargeError", `${name} exceeds size limit of ${formatSize(limit)}.`);
  }
}
