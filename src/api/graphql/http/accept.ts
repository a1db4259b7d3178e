/** Negotiates the content type of a response. */
import Negotiator from "negotiator";
import { badRequest } from "./bad-request.ts";

export const JSON_TYPE = "application/json; charset=utf-8";
const RESPONSE_TYPE = "application/graphql-response+json; charset=utf-8";

const preferredType = (accept: string, available: string[]): string | undefined =>
  new Negotiator({ headers: { accept } }).mediaType(available);

/** Whether a browser requests the page, rather than a client sending an operation. */
export function prefersPage({ method, headers }: Request): boolean {
  const accept = headers.get("accept");
  return (
    method === "GET" &&
    accept !== null &&
    preferredType(accept, [JSON_TYPE, RESPONSE_TYPE, "text/html"]) === "text/html"
  );
}

/** The content type of the response; undefined if the client accepts none. */
export function acceptedType(headers: Headers): string | undefined {
  const accept = headers.get("accept");
  return accept ? preferredType(accept, [JSON_TYPE, RESPONSE_TYPE]) : JSON_TYPE;
}

/** Throws if the client accepts no content type. */
export function responseType(headers: Headers): string {
  const type = acceptedType(headers);
  if (type !== undefined) return type;
  const message = `An 'accept' header was provided for this request which does not accept ${JSON_TYPE} or ${RESPONSE_TYPE}`;
  throw badRequest(message, { status: 406 });
}
