/** What the tools of content-types do, on the writes of the content manager. */
import { missingVersion } from "../../../admin/content-manager/document-calls.ts";
import type { Enveloped } from "../../../admin/content-manager/envelope.ts";
import { listDocuments } from "../../../admin/content-manager/list.ts";
import { findDocumentId } from "../../../admin/content-manager/single-types.ts";
import { recordVersions } from "../../../admin/content-manager/snapshot.ts";
import { NO_META } from "../../../admin/content-manager/versions.ts";
import { Writes } from "../../../admin/content-manager/writes.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { Status } from "../../../engine/query/reading.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { notFound } from "../../../lib/errors.ts";
import { withIdentities } from "./identity.ts";

const missing = () => notFound("Document not found.");

interface Arguments {
  /** Of collection types. */
  readonly documentId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly locale?: string;
  readonly status?: Status;
  readonly discardDraft?: boolean;
}

export class DocumentTools {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  get #writes(): Writes {
    return new Writes(this.#context, this.#type);
  }

  #shown({ data, meta }: Enveloped): Enveloped {
    return { data: withIdentities(this.#context.model, this.#type, data), meta };
  }

  #written(document: Document, isNew = false): Enveloped {
    return this.#shown(this.#writes.envelope(document, isNew));
  }

  /** Locales of types that are not localized are ignored. */
  #locale({ locale }: Arguments): string | undefined {
    return this.#type.localized ? locale : undefined;
  }

  #body(args: Arguments): Record<string, unknown> {
    const locale = this.#locale(args);
    return { ...args.data, ...(locale === undefined ? {} : { locale }) };
  }

  /** Throws a NotFoundError for a document that does not exist. */
  #id({ documentId }: Arguments): string {
    const id = this.#type.kind === "singleType" ? findDocumentId(this.#context, this.#type) : documentId;
    if (id === undefined || !this.#writes.exists(id)) throw missing();
    return id;
  }

  /** Throws a NotFoundError for a version that does not exist. */
  #version(args: Arguments, status: Status, message = "Document not found."): string {
    const id = this.#id(args);
    if (!this.#writes.find(id, this.#locale(args), status)) throw notFound(message);
    return id;
  }

  async list(params: Params): Promise<unknown> {
    const locale = this.#type.localized ? params.locale : undefined;
    const { results, pagination } = await listDocuments(this.#context, this.#type, {
      ...params,
      locale,
      populate: "*",
    });
    return { results: results.map((item) => withIdentities(this.#context.model, this.#type, item)), pagination };
  }

  get(args: Arguments): unknown {
    const id = this.#id(args);
    const locale = this.#locale(args);
    const found = this.#writes.find(id, locale, args.status, "single");
    return found ? this.#written(found) : missingVersion(this.#context, this.#type, id, locale).body;
  }

  async create(args: Arguments): Promise<Enveloped> {
    return this.#written(await this.#writes.create(this.#body(args)), true);
  }

  async update(args: Arguments): Promise<Enveloped> {
    return this.#written(await this.#writes.update(this.#id(args), this.#body(args)));
  }

  /** Creates the document of a single type, or updates it. */
  async write(args: Arguments): Promise<Enveloped> {
    return findDocumentId(this.#context, this.#type) === undefined ? this.create(args) : this.update(args);
  }

  async remove(args: Arguments): Promise<unknown> {
    const id = this.#version(args, "draft");
    await this.#writes.delete(id, this.#locale(args));
    return { data: {} };
  }

  async publish(args: Arguments): Promise<Enveloped> {
    const message = this.#type.kind === "singleType" ? undefined : "Document locale not found.";
    const id = this.#version(args, "draft", message);
    const locale = this.#locale(args);
    await this.#context.documents(this.#type).publish({ documentId: id, locale });
    const locales = this.#type.localized ? [locale ?? this.#context.defaultLocale()] : [null];
    await recordVersions(this.#context, this.#type, [id], locales);
    const published = this.#writes.find(id, locale, "published", "written");
    if (!published) throw notFound("Document not found or already published.");
    return this.#written(published);
  }

  async unpublish(args: Arguments): Promise<Partial<Enveloped>> {
    const { discardDraft } = args;
    const isSingle = this.#type.kind === "singleType";
    const id = this.#version(args, isSingle ? "draft" : "published");
    // as in Strapi, a result without data, which the SDK refuses
    if (isSingle && !this.#writes.find(id, this.#locale(args), "published")) return { meta: NO_META };
    return this.#shown(await this.#writes.unpublish(id, { locale: this.#locale(args), discardDraft }));
  }

  async discard(args: Arguments): Promise<Enveloped> {
    const id = this.#version(args, "published");
    return this.#shown(await this.#writes.discard(id, { locale: this.#locale(args) }));
  }
}
