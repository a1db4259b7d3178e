/**
 * The only administrator: every request with an admin token or a session of the admin page acts as it. Its row is inserted
 * with the first document that it writes.
 */
import type { DocumentsContext } from "../engine/documents/context.ts";
import type { Data } from "../engine/documents/rows.ts";
import type { Document } from "../engine/query/select.ts";
import { emptyQuery, type Query } from "../engine/query/tree.ts";
import { contentType, type Model, type ScalarAttribute } from "../engine/schema/model.ts";
import { quote } from "../engine/storage/sql.ts";
import type { Storage } from "../engine/storage/storage.ts";
import { pickBy } from "../lib/records.ts";

export const ADMINISTRATOR_ID = 1;
export const ADMINISTRATOR_DOCUMENT_ID = "administrator00000000001";
/** The administrator is the same in every project. */
export const ADMINISTRATOR_CREATED_AT = "2026-01-01T00:00:00.000Z";

export interface Administrator {
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly email: string;
  readonly preferedLanguage: string | null;
  /** ISO time. */
  readonly updatedAt: string;
}

/** The initial values. */
export const administrator: Administrator & { readonly id: number } = {
  id: ADMINISTRATOR_ID,
  firstname: "Admin",
  lastname: "Admin",
  username: null,
  email: "admin@example.com",
  preferedLanguage: null,
  updatedAt: ADMINISTRATOR_CREATED_AT,
};

const COLUMNS = ["firstname", "lastname", "username", "email", "preferedLanguage"] as const;
const tableOf = ({ creator }: Model): string => quote(creator.table);

export function readAdministrator({ storage, model }: DocumentsContext): Administrator {
  const names = COLUMNS.map(quote).join(", ");
  const row = storage.first(`SELECT ${names}, updated_at FROM ${tableOf(model)} WHERE id = ?`, [ADMINISTRATOR_ID]);
  if (!row) return administrator;
  const [firstname, lastname, username, email, preferedLanguage, updatedAt] = row;
  return { firstname, lastname, username, email, preferedLanguage, updatedAt } as Administrator;
}

/** The columns of the administrator's row that are no secrets, in Strapi's order. */
export function administratorRow(context: DocumentsContext) {
  const { updatedAt, ...names } = readAdministrator(context);
  return {
    id: ADMINISTRATOR_ID,
    documentId: ADMINISTRATOR_DOCUMENT_ID,
    ...names,
    isActive: true,
    blocked: false,
    createdAt: ADMINISTRATOR_CREATED_AT,
    updatedAt,
    publishedAt: ADMINISTRATOR_CREATED_AT,
    locale: null,
  };
}

/** The administrator as the project's code sees it. */
export const describeAdministrator = (context: DocumentsContext): Document => ({
  id: ADMINISTRATOR_ID,
  ...readAdministrator(context),
  isActive: true,
  blocked: false,
});

function insertAdministrator({ storage, model }: DocumentsContext): void {
  const names = COLUMNS.map(quote).join(", ");
  storage.run(
    `INSERT OR IGNORE INTO ${tableOf(model)} (id, document_id, status, created_at, updated_at, published_at, "isActive",
     blocked, ${names}) VALUES (?, ?, 'published', ?, ?, ?, 1, 0, ${COLUMNS.map(() => "?").join(", ")})`,
    [
      ADMINISTRATOR_ID,
      ADMINISTRATOR_DOCUMENT_ID,
      ADMINISTRATOR_CREATED_AT,
      ADMINISTRATOR_CREATED_AT,
      ADMINISTRATOR_CREATED_AT,
      ...COLUMNS.map((name) => administrator[name]),
    ],
  );
}

/** Changes the given fields of the administrator. */
export const changeAdministrator = (
  context: DocumentsContext,
  changes: Partial<Record<(typeof COLUMNS)[number], string | null>>,
): Promise<void> =>
  context.storage.write(() => {
    insertAdministrator(context);
    const columns = COLUMNS.filter((name) => changes[name] !== undefined);
    const assignments = [...columns.map((name) => `${quote(name)} = ?`), "updated_at = ?"].join(", ");
    context.storage.run(`UPDATE ${tableOf(context.model)} SET ${assignments} WHERE id = ?`, [
      ...columns.map((name) => changes[name]!),
      new Date(context.clock.now()).toISOString(),
      ADMINISTRATOR_ID,
    ]);
  });

const isStored = (storage: Storage, model: Model): boolean =>
  storage.first(`SELECT 1 FROM ${tableOf(model)} WHERE id = ?`, [ADMINISTRATOR_ID]) !== undefined;

/** Inserts the administrator's row unless it is there. */
export async function ensureAdministrator(context: DocumentsContext): Promise<void> {
  if (isStored(context.storage, context.model)) return;
  await context.storage.write(() => insertAdministrator(context));
}

/** The data with its author. `isNew`: the write inserts the row. */
export async function withAuthor(context: DocumentsContext, data: Data, isNew: boolean): Promise<Data> {
  await ensureAdministrator(context);
  return { ...data, ...(isNew ? { createdBy: ADMINISTRATOR_ID } : {}), updatedBy: ADMINISTRATOR_ID };
}

/** Sets the author of rows that the document service does not write. `isNew`: as in `withAuthor`. */
export async function setAuthor(
  context: DocumentsContext,
  uid: string,
  ids: readonly number[],
  { isNew }: { readonly isNew: boolean },
): Promise<void> {
  await ensureAdministrator(context);
  const table = quote(contentType(context.model, uid).table);
  const assignments = isNew ? "created_by_id = ?1, updated_by_id = ?1" : "updated_by_id = ?1";
  const sql = `UPDATE ${table} SET ${assignments} WHERE id IN (SELECT value FROM json_each(?2))`;
  await context.storage.write(() => context.storage.run(sql, [ADMINISTRATOR_ID, JSON.stringify(ids)]));
}

const SHOWN = ["firstname", "lastname", "username", "email", "isActive"];

/** The fields of an administrator in `createdBy` and `updatedBy`. */
export const creatorQuery = ({ creator }: Model): Query => ({
  ...emptyQuery(creator),
  fields: SHOWN.map((name) => creator.attributes.get(name) as ScalarAttribute),
});

const isDocument = (value: unknown): value is Document => typeof value === "object" && value !== null;

/** Shows the creators of documents with `show`; null where there is none. */
const mapCreators =
  (show: (creator: Document) => Document) =>
  (document: Document): Document => ({
    ...document,
    createdBy: isDocument(document.createdBy) ? show(document.createdBy) : null,
    updatedBy: isDocument(document.updatedBy) ? show(document.updatedBy) : null,
  });

/** As Strapi shows administrators: without their document ids. */
export const withCreators = mapCreators(({ documentId: _, ...shown }) => shown);

/** Shorter, as Strapi shows the versions of types without locales. */
export const withShortCreators = mapCreators(({ id, firstname, lastname, email }) => ({
  id,
  firstname,
  lastname,
  email,
}));

/** What is shown of an administrator behind a relation. As in Strapi, not even the number of those that are counted. */
export const administratorFields = (administrator: Document): Document =>
  pickBy(administrator, (_, name) => name === "id" || SHOWN.includes(name));

/** Administrators that a request populates show nothing else either. */
export function withShownCreators(document: Document): Document {
  const shown = { ...document };
  for (const name of ["createdBy", "updatedBy"]) {
    const creator = shown[name];
    if (isDocument(creator)) shown[name] = administratorFields(creator);
  }
  return shown;
}
