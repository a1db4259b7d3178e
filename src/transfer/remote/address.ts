/** Parses the URL of a Strapi server, with or without `/admin` or a trailing slash. */
import { ProjectError } from "../../lib/errors.ts";

export interface RemoteAddress {
  /** "https://example.com" */
  readonly root: string;
  /** URL of the WebSocket of `strapi transfer`. */
  readonly runner: (direction: "pull" | "push") => string;
}

/** Throws a ProjectError for anything but an http or https URL. */
export function remoteAddress(text: string): RemoteAddress {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new ProjectError(text, undefined, "is not the address of a server");
  const path = url.pathname.replace(/\/+$/, "").replace(/\/admin$/, "");
  const root = `${url.origin}${path}`;
  return { root, runner: (direction) => `${root.replace(/^http/, "ws")}/admin/transfer/runner/${direction}` };
}
