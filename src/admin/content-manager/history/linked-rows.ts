/** Loads the current targets of the links of stored versions, with one statement per content-type. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { editedStatus, ofDocuments, readRows } from "../../read-rows.ts";
import { readFiles } from "../../upload/files.ts";
import { type LinkAttribute, linkedUid, mapLinks } from "../snapshot-links.ts";
import { readStates } from "../versions.ts";
import { wholeRow } from "../whole-query.ts";

export class LinkedRows {
  readonly #context: DocumentsContext;
  readonly #files: ReadonlyMap<unknown, Document>;
  /** By type, document and locale. */
  readonly #rows = new Map<string, Document>();

  /** `data`: snapshots of documents of the type. */
  constructor(context: DocumentsContext, type: ContentType, data: readonly Document[]) {
    this.#context = context;
    const fileIds = new Set<number>();
    const documentIds = new Map<string, Set<string>>();
    for (const document of data)
      mapLinks(context.model, type, document, (attribute, linked) => {
        for (const item of linked) {
          if (attribute.kind === "media") fileIds.add(Number(item.id));
          else
            documentIds.getOrInsertComputed(linkedUid(attribute, item), () => new Set()).add(String(item.documentId));
        }
      });
    this.#files = new Map(readFiles(context, [...fileIds].filter(Number.isSafeInteger)).map((file) => [file.id, file]));
    for (const [uid, ids] of documentIds) this.#load(uid, [...ids]);
  }

  #key(target: ContentType, documentId: unknown, locale: unknown): string {
    return JSON.stringify([target.uid, documentId, target.localized ? locale : null]);
  }

  /** Loads drafts of types with drafts, as the content manager shows them. */
  #load(uid: string, ids: readonly string[]): void {
    const target = this.#context.model.types.get(uid);
    if (!target) return;
    const stateOf = readStates(this.#context, target, ids);
    const query = { ...wholeRow(target), where: ofDocuments(ids) };
    for (const row of readRows(this.#context, editedStatus(target), query))
      this.#rows.set(this.#key(target, row.documentId, row.locale), { ...row, status: stateOf(row) ?? "published" });
  }

  /** The linked file or document; undefined if it was deleted. */
  find(attribute: LinkAttribute, linked: Document): Document | undefined {
    if (attribute.kind === "media") return this.#files.get(linked.id);
    const target = this.#context.model.types.get(linkedUid(attribute, linked));
    if (!target) return undefined;
    return this.#rows.get(this.#key(target, linked.documentId, linked.locale || this.#context.defaultLocale()));
  }
}
