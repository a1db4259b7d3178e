/** Changes one attribute in many documents, reports what a change would do, and undoes it. */
import { decidingNames, isVisible } from "../../engine/documents/conditions.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Documents } from "../../engine/documents/documents.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Query } from "../../engine/query/tree.ts";
import { withAuthor } from "../administrator.ts";
import { type AdminRoute, route as adminRoute, ok } from "../call.ts";
import { restoredData } from "../content-manager/history/history.ts";
import { findMainField } from "../content-manager/main-field.ts";
import { versionCheck } from "../content-manager/preconditions.ts";
import { narrowed, recordMissingVersions, recordVersions } from "../content-manager/snapshot.ts";
import { findVersion } from "../content-manager/versions-table.ts";
import { wholeQuery } from "../content-manager/whole-query.ts";
import { documentIdsOf, ofDocuments, readRows } from "../read-rows.ts";
import { listReasons, reasonsOrFailure } from "../refusal.ts";
import { API_PATH } from "../session/session.ts";
import {
  type ChangedVersion,
  type ChangeRequest,
  type EditTarget,
  readEditRequest,
  readPreviewRequest,
  readUndoRequest,
  type UndoRequest,
  type Version,
} from "./input.ts";

const FIELDS = { fields: ["documentId", "updatedAt"] };
const MISSING = "It has been deleted";
const HIDDEN = "The condition under which it is shown is not met";
const NO_VERSION = "Its earlier value is no longer stored";

interface Refused {
  readonly documentId: string;
  /** Its main field; null if it does not exist. */
  readonly name: string | null;
  readonly reasons: readonly string[];
}

interface Preview {
  /** The versions that would change. */
  readonly changes: readonly Version[];
  /** How many have the value already. */
  readonly unchanged: number;
  readonly refused: readonly Refused[];
}

interface Outcome {
  readonly changed: readonly ChangedVersion[];
  readonly refused: readonly Refused[];
}

/** The attribute of each document, with what names and identifies its version. Links are references to rows. */
function createQuery({ model }: DocumentsContext, { type, attribute }: EditTarget): Query {
  const whole = wholeQuery(model, type, "single");
  const names = new Set([attribute.name, findMainField(type), "updatedAt", ...decidingNames(attribute)]);
  return narrowed({
    ...whole,
    fields: whole.fields.filter(({ name }) => names.has(name)),
    populate: whole.populate.filter(({ key }) => key === attribute.name),
  });
}

/** The versions that the content manager edits, by document. */
function readDocuments(
  context: DocumentsContext,
  target: EditTarget,
  documentIds: readonly string[],
): ReadonlyMap<string, Document> {
  const query = { ...createQuery(context, target), where: ofDocuments(documentIds) };
  // links of a type without drafts are read whichever version they lead to
  const status = target.type.draftAndPublish ? "draft" : undefined;
  const rows = readRows(context, status, query, { locales: [target.locale] });
  return new Map(rows.map((row) => [row.documentId as string, row]));
}

class BulkEdit {
  readonly #context: DocumentsContext;
  readonly #target: EditTarget;
  readonly #service: Documents;
  readonly #refused: Refused[] = [];
  #documents: ReadonlyMap<string, Document> = new Map();

  constructor(context: DocumentsContext, target: EditTarget) {
    this.#context = context;
    this.#target = target;
    this.#service = context.documents(target.type);
  }

  get refused(): readonly Refused[] {
    return this.#refused;
  }

  /** Reads the documents; those that do not exist are refused. */
  *load(documentIds: readonly string[]): Generator<Document> {
    this.#documents = readDocuments(this.#context, this.#target, documentIds);
    for (const documentId of new Set(documentIds)) {
      const document = this.#documents.get(documentId);
      if (document) yield document;
      else this.refuse(documentId, [MISSING]);
    }
  }

  refuse(documentId: string, reasons: readonly string[]): void {
    const document = this.#documents.get(documentId);
    const name = document ? String(document[findMainField(this.#target.type)] ?? documentId) : null;
    this.#refused.push({ documentId, name, reasons });
  }

  /**
   * Parameters of a write of the document service, with the values that decide whether the attribute is visible, since it is
   * checked by them. Undefined, and refused, if it is not visible.
   */
  params(documentId: string, value: unknown) {
    const { type, attribute, locale } = this.#target;
    const current = this.#documents.get(documentId);
    const names = decidingNames(attribute).filter((name) => type.attributes.get(name)?.kind === "scalar");
    const deciding = Object.fromEntries(names.map((name) => [name, current?.[name] ?? null]));
    if (isVisible(attribute, deciding))
      return { ...FIELDS, documentId, locale: locale ?? undefined, data: { ...deciding, [attribute.name]: value } };
    this.refuse(documentId, [HIDDEN]);
    return undefined;
  }

  /** Writes inside the caller's transaction. Returns whether the document accepts the value. */
  attempt({ documentId }: Document, value: unknown): boolean {
    const params = this.params(documentId as string, value);
    if (!params) return false;
    try {
      this.#service.updateSync(params);
      return true;
    } catch (error) {
      this.refuse(documentId as string, listReasons(error));
      return false;
    }
  }

  /** Writes a value unless the document was saved after the version. Returns the new version. */
  async write({ documentId, updatedAt }: Version, value: unknown): Promise<Version | undefined> {
    const { type, locale } = this.#target;
    const checkUnchanged = versionCheck(this.#context, type, updatedAt);
    const params = this.params(documentId, value);
    if (!params) return undefined;
    try {
      const data = await withAuthor(this.#context, params.data, false);
      const check = () => checkUnchanged(documentId, locale ?? undefined);
      const written = await this.#service.update({ ...params, data }, { check });
      return { documentId, updatedAt: String(written?.updatedAt) };
    } catch (error) {
      this.refuse(documentId, reasonsOrFailure(error));
      return undefined;
    }
  }

  /** Writes the documents one by one, each in a transaction, and stores versions of their history. */
  async writeAll<Item extends Version>(
    documents: readonly Item[],
    newValue: (item: Item, current: Document) => unknown,
  ): Promise<Outcome> {
    const { type, locale } = this.#target;
    const items = new Map(documents.map((item) => [item.documentId, item]));
    const found = [...this.load([...items.keys()])];
    const ids = documentIdsOf(found);
    const previous = await recordMissingVersions(this.#context, type, ids, locale);
    const changed: ChangedVersion[] = [];
    for (const document of found) {
      const item = items.get(document.documentId as string)!;
      const value = newValue(item, document);
      const written = value === undefined ? undefined : await this.write(item, value);
      if (written) changed.push({ ...written, previousVersion: previous.get(written.documentId)! });
    }
    const changedIds = changed.map(({ documentId }) => documentId);
    await recordVersions(this.#context, type, changedIds, [locale]);
    return { changed, refused: this.refused };
  }
}

/** Writes the documents in a transaction that is rolled back. */
export async function previewEdit(
  context: DocumentsContext,
  { valueFor, documents, ...target }: ChangeRequest<string>,
): Promise<Preview> {
  const edit = new BulkEdit(context, target);
  const changes: Version[] = [];
  let unchanged = 0;
  const formatValue = (document: Document | undefined): string =>
    JSON.stringify(document?.[target.attribute.name] ?? null);
  await context.storage.rehearse(() => {
    const accepted = [...edit.load(documents)].filter((document) => edit.attempt(document, valueFor(document)));
    const after = readDocuments(context, target, documentIdsOf(accepted));
    for (const document of accepted) {
      const documentId = document.documentId as string;
      if (formatValue(document) === formatValue(after.get(documentId))) unchanged++;
      else changes.push({ documentId, updatedAt: String(document.updatedAt) });
    }
  });
  return { changes, unchanged, refused: edit.refused };
}

export const runEdit = (
  context: DocumentsContext,
  { valueFor, documents, ...target }: ChangeRequest<Version>,
): Promise<Outcome> => new BulkEdit(context, target).writeAll(documents, (_, current) => valueFor(current) ?? null);

/** Writes the earlier value of the attribute to documents that nobody has saved since. */
export function undoEdit(context: DocumentsContext, { documents, ...target }: UndoRequest): Promise<Outcome> {
  const { type, attribute, locale } = target;
  const edit = new BulkEdit(context, target);
  return edit.writeAll(documents, ({ documentId, previousVersion }) => {
    const version = findVersion(context.storage, previousVersion);
    const isOwn = version?.contentType === type.uid && version.documentId === documentId && version.locale === locale;
    if (isOwn && Object.hasOwn(version.data, attribute.name)) {
      const snapshot = { [attribute.name]: version.data[attribute.name] };
      return restoredData(context, type, snapshot)[attribute.name] ?? null;
    }
    edit.refuse(documentId, [NO_VERSION]);
    return undefined;
  });
}

/** `POST /admin/api/edits`: changes one attribute in many documents of a collection type. */
export function bulkEditRoutes(context: DocumentsContext): AdminRoute[] {
  const route = (path: string, run: (body: unknown) => Promise<object>): AdminRoute =>
    adminRoute("POST", `${API_PATH}/edits${path}`, async ({ body }) => ok({ data: await run(await body()) }));
  return [
    route("", (body) => runEdit(context, readEditRequest(context, body))),
    route("/preview", (body) => previewEdit(context, readPreviewRequest(context, body))),
    route("/undo", (body) => undoEdit(context, readUndoRequest(context, body))),
  ];
}
