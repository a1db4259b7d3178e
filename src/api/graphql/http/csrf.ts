/** CSRF prevention: requests that browsers send to other sites without a preflight are refused. */
import { badRequest } from "./bad-request.ts";

/** Content types of plain forms, which browsers send without a preflight. */
const formTypes: ReadonlySet<string> = new Set([
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "text/plain",
]);
const protectingHeaders = ["x-apollo-operation-name", "apollo-require-preflight"];

const MESSAGE = `This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a 'content-type' header (with a type that is not one of ${[...formTypes].join(", ")}) or provide a non-empty value for one of the following headers: ${protectingHeaders.join(", ")}\n`;

/** Throws for a request that a form could have sent. */
export function preventCsrf(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && !formTypes.has((type.split(";")[0] ?? "").trim().toLowerCase())) return;
  if (protectingHeaders.some((name) => headers.get(name))) return;
  throw badRequest(MESSAGE);
}
