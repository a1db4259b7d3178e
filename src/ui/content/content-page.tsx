/** The list of a type's documents, or one document, according to the URL. */
import { lazy } from "../lazy.tsx";
import { ListPage } from "../list/list-page.tsx";
import { findType } from "../model.ts";
import type { PageProps } from "../page.ts";
import { NotFound } from "../shell/not-found.tsx";

const EditPage = lazy(async () => (await import("../edit/edit-page.tsx")).EditPage);

export function ContentPage({ segments: [uid = "", documentId] }: PageProps) {
  const type = findType(uid);
  if (!type) return <NotFound what={uid === "" ? "Choose a content-type." : `There is no content-type ${uid}.`} />;
  if (type.kind === "collectionType" && documentId === undefined) return <ListPage key={uid} type={type} />;
  return <EditPage key={uid} type={type} documentId={documentId} />;
}
