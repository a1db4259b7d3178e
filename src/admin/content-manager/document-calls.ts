/** What the routes of collection types and single types share. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, ok, route } from "../call.ts";
import { bodyWithLocale, findContentType, readDimensions } from "./input.ts";
import { unchangedCheck } from "./preconditions.ts";
import { readMeta } from "./versions.ts";
import { Writes } from "./writes.ts";

/** The argument of a handler. */
export interface DocumentCall<Id> extends AdminCall {
  readonly type: ContentType;
  readonly writes: Writes;
  /** Of the document. */
  readonly id: Id;
}

/** The page's wish, as a preference of RFC 7240, to hear all that keeps a document from being published. */
const wantsAll = ({ headers }: Request): boolean => headers.get("prefer") === "all-problems";

type Answer = AdminResponse | Promise<AdminResponse>;

/** Makes routes below `/content-manager/<kind>/:model`. */
export const documentRoutes =
  <Id>(context: DocumentsContext, kind: string, findId: (call: AdminCall, type: ContentType) => Id) =>
  (method: AdminRoute["method"], path: string, handle: (call: DocumentCall<Id>) => Answer): AdminRoute =>
    route(method, `/content-manager/${kind}/:model${path}`, (call) => {
      const type = findContentType(context.model, call.params.model, method === "GET" ? "read" : "change");
      return handle({
        ...call,
        type,
        id: findId(call, type),
        writes: new Writes(context, type, unchangedCheck(context, type, call.request), wantsAll(call.request)),
        body: async () => {
          const body = await bodyWithLocale(context, call, type);
          // several locales in the query are refused before anything is written
          readDimensions({ locale: body.locale });
          return body;
        },
      });
    });

/** For a document that exists, but not in this version or locale. */
export function missingVersion(
  context: DocumentsContext,
  type: ContentType,
  documentId: string,
  locale: string | undefined,
): AdminResponse {
  const missing = { documentId, locale: type.localized ? (locale ?? null) : null, publishedAt: null };
  return ok({ data: {}, meta: readMeta(context, type, missing, { withStatus: false }).meta });
}
