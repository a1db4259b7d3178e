/** Which requests may be sent to another server: those that write nothing there, and carry no secret. */
import { parse } from "graphql";
import { isRecord } from "../../lib/is-record.ts";

/** Of signing in: their URLs have codes and tokens, and some write. */
const SIGN_IN: ReadonlySet<string> = new Set(["auth", "connect"]);

/** Whether a path is one of REST that is read with GET. Strapi compares without regard to case. */
export function isReadPath(path: string, prefix: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path).toLowerCase();
  } catch {
    return false;
  }
  return decoded.startsWith(`${prefix.toLowerCase()}/`) && !decoded.split("/").some((part) => SIGN_IN.has(part));
}

/** Whether the body of a request for GraphQL has queries only. */
export function isQuery(body: string, maxTokens = 10_000): boolean {
  try {
    const request: unknown = JSON.parse(body);
    if (!isRecord(request) || typeof request.query !== "string") return false;
    const { definitions } = parse(request.query, { maxTokens });
    return definitions.every(
      (part) =>
        part.kind === "FragmentDefinition" || (part.kind === "OperationDefinition" && part.operation === "query"),
    );
  } catch {
    return false;
  }
}
