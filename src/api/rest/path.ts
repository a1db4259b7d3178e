/** Checks of a URL's path. */
import { ApiError } from "../../errors.ts";

export function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Throws a BadRequestError for invalid percent-encoding. */
export function checkPath(path: string): void {
  if (!isDecodable(path)) throw new ApiError("BadRequestError", "failed to decode");
}
