/** Reads documents as files for synchronisation. A value that cannot be read is not taken for one that was removed. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { readDocuments, type UnreadableContent } from "../../transfer/content/read-documents.ts";
import { readVersions, writeVersions } from "../../transfer/content/versions.ts";
import type { SyncNames } from "./names.ts";
import type { FileProblem } from "./problems.ts";
import type { SyncState } from "./state.ts";

export class StoredDocuments {
  readonly #context: DocumentsContext;
  readonly #state: SyncState;
  readonly #names: SyncNames;
  readonly #unreadable: Map<string, FileProblem>;

  /** `known`: is told of values that cannot be read, too. */
  constructor(context: DocumentsContext, state: SyncState, names: SyncNames, known?: StoredDocuments) {
    this.#context = context;
    this.#state = state;
    this.#names = names;
    this.#unreadable = known ? known.#unreadable : new Map();
  }

  /** Values that could not be read so far. */
  get unreadable(): FileProblem[] {
    return [...this.#unreadable.values()];
  }

  /** By id; without documents that do not exist. */
  read(type: ContentType, ids: readonly string[]): ReadonlyMap<string, ContentFile> {
    const unreadable: UnreadableContent[] = [];
    const names = {
      document: (uid: string, documentId: string) => this.#names.nameOfDocument(uid, documentId),
      media: (id: number) => this.#names.nameOfMedia(id),
    };
    const found = readDocuments(this.#context, type, ids, names, (value) => unreadable.push(value));
    if (unreadable.length === 0) return found;
    const restored = new Map(found);
    const known = this.#state.filesOfDocuments(type.uid, [...new Set(unreadable.map(({ documentId }) => documentId))]);
    for (const value of unreadable) this.#report(value);
    for (const { documentId, stored } of known.values()) {
      const own = unreadable.filter((value) => value.documentId === documentId);
      restored.set(documentId, this.#restore(found.get(documentId)!, stored, own));
    }
    return restored;
  }

  #report({ type, documentId, locale, status, path }: UnreadableContent): void {
    const key = path.join(".");
    this.#unreadable.set(`${type.uid} ${documentId} ${locale} ${status} ${key}`, {
      file: this.#names.nameOfDocument(type.uid, documentId) ?? `${type.pluralName}/${documentId}`,
      key,
      reason: `the value in the database cannot be read (${status}${locale === null ? "" : `, ${locale}`}); the file keeps the earlier one`,
    });
  }

  /** With the earlier values of the attributes that are not readable. */
  #restore(now: ContentFile, stored: ContentFile, unreadable: readonly UnreadableContent[]): ContentFile {
    const [read, earlier] = [readVersions(now), readVersions(stored)];
    const versions = new Map(read.versions);
    for (const { locale, status, path } of unreadable) {
      const isTop = locale === null || locale === (read.top || this.#context.defaultLocale());
      const key = isTop ? read.top : locale;
      const [version, before] = [versions.get(key), earlier.versions.get(isTop ? earlier.top : locale)];
      if (!version) continue;
      const part = status === "published" && version.published ? "published" : "draft";
      const fields = new Map(version[part]);
      const value = before?.[part]?.get(String(path[0]));
      if (value !== undefined) fields.set(String(path[0]), value);
      versions.set(key, { ...version, [part]: fields });
    }
    return writeVersions({ ...read, versions });
  }
}
