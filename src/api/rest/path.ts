/** Checks of a URL's path. */

import { pathBelowRoot } from "../../engine/media/public-files.ts";
import { ApiError } from "../../lib/errors.ts";
import { splitUrl } from "../http-route.ts";

export function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The text of a path's segment: decoded or, if that is not possible, as it is. */
export const decodeSegment = (segment: string): string =>
  isDecodable(segment) ? decodeURIComponent(segment) : segment;

/** Throws a BadRequestError for invalid percent-encoding. */
export function checkPath(path: string): void {
  if (!isDecodable(path)) throw new ApiError("BadRequestError", "failed to decode");
}

/** Whether there is nothing at a URL, rather than that a route says so in its own words. */
const isNothing = (error: unknown): boolean =>
  error instanceof ApiError && error.name === "NotFoundError" && error.message === "Not Found";

/**
 * The error of a request. As in Strapi, what no route finds is looked up as a file, whose path may be refused.
 */
export function errorOfRequest(error: unknown, { method, url }: Request): unknown {
  if (!isNothing(error) || (method !== "GET" && method !== "HEAD")) return error;
  try {
    pathBelowRoot(splitUrl(url).path);
    return error;
  } catch (refusal) {
    return refusal;
  }
}
