/** Where the form of a document is in the page. */
import { findType } from "./model.ts";
import { hrefTo, type UrlParams } from "./router.ts";

interface Named {
  readonly uid: string;
  readonly documentId: string;
}

export const documentHref = ({ uid, documentId }: Named, params?: UrlParams): string =>
  hrefTo("content", findType(uid)?.kind === "singleType" ? [uid] : [uid, documentId], params);
