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

async function readList(context: DocumentsContext, type: ContentType, params: Params): Promise<unknown> {
  const locale = type.localized ? params.locale : undefined;
  const { results, pagination } = await listDocuments(context, type, { ...params, locale, populate: "*" });
  return { results: results.map((item) => withIdentities(context.model, type, item)), pagination };
}

export function createDocumentTools(context: DocumentsContext, type: ContentType) {
  const writes = (): Writes => new Writes(context, type);

  const shown = ({ data, meta }: Enveloped): Enveloped => ({ data: withIdentities(context.model, type, data), meta });

  const written = (document: Document, isNew = false): Enveloped => shown(writes().envelope(document, isNew));

  /** Locales of types that are not localized are ignored. */
  const localeOf = ({ locale }: Arguments): string | undefined => (type.localized ? locale : undefined);

  function body(args: Arguments): Record<string, unknown> {
    const locale = localeOf(args);
    return { ...args.data, ...(locale === undefined ? {} : { locale }) };
  }

  /** Throws a NotFoundError for a document that does not exist. */
  function idOf({ documentId }: Arguments): string {
    const id = type.kind === "singleType" ? findDocumentId(context, type) : documentId;
    if (id === undefined || !writes().exists(id)) throw missing();
    return id;
  }

  /** Throws a NotFoundError for a version that does not exist. */
  function version(args: Arguments, status: Status, message = "Document not found."): string {
    const id = idOf(args);
    if (!writes().find(id, localeOf(args), status)) throw notFound(message);
    return id;
  }

  const list = (params: Params): Promise<unknown> => readList(context, type, params);

  function get(args: Arguments): unknown {
    const id = idOf(args);
    const locale = localeOf(args);
    const found = writes().find(id, locale, args.status, "single");
    return found ? written(found) : missingVersion(context, type, id, locale).body;
  }

  const create = async (args: Arguments): Promise<Enveloped> => written(await writes().create(body(args)), true);

  const update = async (args: Arguments): Promise<Enveloped> => written(await writes().update(idOf(args), body(args)));

  /** Creates the document of a single type, or updates it. */
  const write = async (args: Arguments): Promise<Enveloped> =>
    findDocumentId(context, type) === undefined ? create(args) : update(args);

  async function remove(args: Arguments): Promise<unknown> {
    const id = version(args, "draft");
    await writes().delete(id, localeOf(args));
    return { data: {} };
  }

  async function publish(args: Arguments): Promise<Enveloped> {
    const message = type.kind === "singleType" ? undefined : "Document locale not found.";
    const id = version(args, "draft", message);
    const locale = localeOf(args);
    await context.documents(type).publish({ documentId: id, locale });
    const locales = type.localized ? [locale ?? context.defaultLocale()] : [null];
    await recordVersions(context, type, [id], locales);
    const published = writes().find(id, locale, "published", "written");
    if (!published) throw notFound("Document not found or already published.");
    return written(published);
  }

  async function unpublish(args: Arguments): Promise<Partial<Enveloped>> {
    const { discardDraft } = args;
    const isSingle = type.kind === "singleType";
    const id = version(args, isSingle ? "draft" : "published");
    // as in Strapi, a result without data, which the SDK refuses
    if (isSingle && !writes().find(id, localeOf(args), "published")) return { meta: NO_META };
    return shown(await writes().unpublish(id, { locale: localeOf(args), discardDraft }));
  }

  async function discard(args: Arguments): Promise<Enveloped> {
    const id = version(args, "published");
    return shown(await writes().discard(id, { locale: localeOf(args) }));
  }

  return { list, get, create, update, write, remove, publish, unpublish, discard };
}

export type DocumentTools = ReturnType<typeof createDocumentTools>;
