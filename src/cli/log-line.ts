import { printable } from "../print-value.ts";

/** Parameters with credentials, by the names that the routes of users and providers give them. */
const SECRETS =
  /([?&](?:access_token|id_token|oauth_token|oauth_verifier|refresh_token|token|code|confirmation)=)[^&#]+/gi;

/**
 * The log line of a response, without credentials of the query string. Control characters are escaped, so that requests cannot forge
 * lines or control the terminal.
 */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  printable(`${method} ${path.replace(SECRETS, "$1…")} ${status} ${milliseconds.toFixed(1)} ms`);
