/** Loads the current targets of the links of stored versions, with one statement per content-type. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { trustedQuery } from "../../../engine/query/check-query.ts";
import { findRows } from "../../../engine/query/run.ts";
import type { Document } from "../../../engine/query/select.ts";
import { DOCUMENT_ID } from "../../../engine/query/tree.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { readFiles } from "../../upload/files.ts";
import { type LinkAttribute, linkedUid, mapLinks } from "../snapshot-links.ts";
import { computeState, counterpart, readVersions } from "../versions.ts";
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
    const { storage, model } = this.#context;
    const target = model.types.get(uid);
    if (!target) return;
    const where = { kind: "compare", field: DOCUMENT_ID, operator: "$in", operand: ids } as const;
    const status = target.draftAndPublish ? "draft" : "published";
    const rows = findRows({ storage, model, status }, trustedQuery({ ...wholeRow(target), where }), {
      locales: undefined,
    });
    const versions = target.draftAndPublish ? readVersions(this.#context, target, ids) : [];
    for (const row of rows) {
      const version = versions.find(({ id }) => id === row.id);
      const state = version ? computeState(version, counterpart(versions, version)) : "published";
      this.#rows.set(this.#key(target, row.documentId, row.locale), { ...row, status: state });
    }
  }

  /** The linked file or document; undefined if it was deleted. */
  find(attribute: LinkAttribute, linked: Document): Document | undefined {
    if (attribute.kind === "media") return this.#files.get(linked.id);
    const target = this.#context.model.types.get(linkedUid(attribute, linked));
    if (!target) return undefined;
    return this.#rows.get(this.#key(target, linked.documentId, linked.locale || this.#context.defaultLocale()));
  }
}
