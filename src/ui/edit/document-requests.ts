/** Requests about one document, in one locale. */
import { ApiFailure, api } from "../api/client.ts";
import type { ContentType } from "../model.ts";
import type { Person } from "../person-name.ts";
import { newDocumentId } from "./new-document-id.ts";

/** A version as the content manager answers it. */
export interface Version {
  readonly id: number;
  readonly documentId: string;
  readonly status?: "draft" | "modified" | "published";
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly publishedAt?: string | null;
  readonly createdBy?: Person | null;
  readonly updatedBy?: Person | null;
  readonly [name: string]: unknown;
}

/** Another locale: the default one is the first. With the scalar values and files that all locales share. */
export interface OtherVersion {
  readonly documentId?: string;
  readonly locale?: string;
  readonly status?: string;
  readonly [name: string]: unknown;
}

/** A stored document; `version` is undefined if the locale or the single type does not exist yet. */
export interface StoredDocument {
  readonly version: Version | undefined;
  readonly otherLocales: readonly OtherVersion[];
}

interface Answer {
  readonly data: Version;
  readonly meta: { readonly availableLocales?: readonly OtherVersion[] };
}

/** Somebody else saved the document after it was opened here. */
export class NewerVersion extends Error {
  override readonly name = "NewerVersion";
  readonly version: Version;
  /** When it was saved; undefined if it has the time of the version before. */
  readonly at: string | undefined;

  constructor(version: Version, at: string | undefined) {
    super("This document was saved by somebody else in the meantime");
    this.version = version;
    this.at = at;
  }
}

/** Somebody else deleted the document after it was opened here. */
export class DeletedDocument extends Error {
  override readonly name = "DeletedDocument";

  constructor() {
    super("This document was deleted by somebody else in the meantime");
  }
}

export type DocumentAction = "publish" | "unpublish" | "discard";

const isStatus = (error: unknown, status: number): boolean => error instanceof ApiFailure && error.status === status;

/** Otherwise a refused draft is not checked for being published. */
const ALL_PROBLEMS = { Prefer: "all-problems" };

/** The precondition of a create request: there is no such document yet. */
const IF_NONE = { "If-None-Match": "*" };

/** The precondition of a write: this is still the stored version. */
const ifMatch = (basedOn: Version | undefined): Record<string, string> =>
  basedOn?.updatedAt === undefined ? {} : { "If-Match": `"${basedOn.updatedAt}"` };

export class DocumentRequests {
  readonly type: ContentType;
  readonly locale: string | undefined;
  /** Undefined for a new document; single types have one that requests need not name. */
  documentId: string | undefined;
  /** The id that a new document will have. It is known before the response, which may be lost. */
  newId = newDocumentId();

  constructor(type: ContentType, documentId: string | undefined, locale: string | undefined) {
    this.type = type;
    this.documentId = documentId;
    this.locale = locale;
  }

  /** Where its requests go. */
  get path(): string {
    const { kind, uid } = this.type;
    if (kind === "singleType") return `/content-manager/single-types/${uid}`;
    const base = `/content-manager/collection-types/${uid}`;
    return this.documentId === undefined ? base : `${base}/${this.documentId}`;
  }

  get isNew(): boolean {
    return this.type.kind === "collectionType" && this.documentId === undefined;
  }

  get #options() {
    return { query: { locale: this.locale } };
  }

  /** Throws a DeletedDocument if there is no document with this id. */
  async read(): Promise<StoredDocument> {
    try {
      const { data, meta } = await api.get<Answer>(this.path, this.#options);
      return { version: data?.documentId === undefined ? undefined : data, otherLocales: meta.availableLocales ?? [] };
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      if (this.type.kind === "singleType") return { version: undefined, otherLocales: [] };
      throw new DeletedDocument();
    }
  }

  /**
   * Saves the draft, and with `publish` publishes it. `basedOn`: the version that was edited; undefined for a new document.
   * Throws a NewerVersion or a DeletedDocument if it is no longer the stored one, and a NewerVersion if a new document exists already,
   * since an earlier response was lost.
   */
  async write(action: "publish" | undefined, body: object, basedOn: Version | undefined): Promise<Version> {
    const { isNew } = this;
    const options = { ...this.#options, headers: { ...ALL_PROBLEMS, ...(isNew ? IF_NONE : ifMatch(basedOn)) } };
    const sent = isNew ? { ...body, documentId: this.newId } : body;
    const { data } = await this.#guarded(basedOn, () =>
      action === "publish"
        ? api.post<Answer>(`${this.path}/actions/publish`, sent, options)
        : (isNew ? api.post<Answer> : api.put<Answer>)(this.path, sent, options),
    );
    return data;
  }

  /** After a create request without a response: the document, if it was created. */
  async readCreated(): Promise<Version | undefined> {
    const created = new DocumentRequests(this.type, this.newId, this.locale);
    try {
      return (await created.read()).version;
    } catch (error) {
      if (error instanceof DeletedDocument) return undefined;
      throw error;
    }
  }

  /** Maps 404 and 412 to DeletedDocument and NewerVersion. */
  async #guarded<T>(basedOn: Version | undefined, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (isStatus(error, 404) && basedOn) throw new DeletedDocument();
      if (!isStatus(error, 412)) throw error;
      const version = this.isNew ? await this.readCreated() : (await this.read()).version;
      throw version ? new NewerVersion(version, version.updatedAt) : new DeletedDocument();
    }
  }

  /** Writes a version of the history to the draft. Throws as `write` does. */
  async restore(versionId: number, basedOn: Version | undefined): Promise<void> {
    const path = `/content-manager/history-versions/${versionId}/restore`;
    const body = { contentType: this.type.uid };
    await this.#guarded(basedOn, () => api.put(path, body, { headers: ifMatch(basedOn) }));
  }

  /** Throws as `write` does. */
  async act(action: DocumentAction, basedOn: Version | undefined): Promise<void> {
    const options = { ...this.#options, headers: ifMatch(basedOn) };
    await this.#guarded(basedOn, () => api.post(`${this.path}/actions/${action}`, {}, options));
  }

  /** Removes this locale's versions. Throws as `write` does. */
  async delete(basedOn: Version | undefined): Promise<void> {
    const options = { ...this.#options, headers: ifMatch(basedOn) };
    await this.#guarded(basedOn, () => api.delete(this.path, options));
  }

  /** A copy as a new draft; returns its id. */
  async duplicate(): Promise<string> {
    const path = `/content-manager/collection-types/${this.type.uid}/clone/${this.documentId}`;
    return (await api.post<Answer>(path, {}, this.#options)).data.documentId;
  }
}
