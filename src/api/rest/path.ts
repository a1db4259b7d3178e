/** The path of a URL, before anything is looked for under it. */
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

/** Throws a BadRequestError for escapes that stand for no text. */
export function checkPath(path: string): void {
  if (!isDecodable(path)) throw new ApiError("BadRequestError", "failed to decode");
}
