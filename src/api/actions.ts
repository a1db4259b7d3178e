/**
 * One row per action: the permission that it needs, where REST offers it, and for content-types the operation that REST
 * and GraphQL share. Routes and permission names are built from these rows.
 */
import { type ContentActionName, contentActions } from "../engine/access/action-names.ts";
import type { Documents, Page } from "../engine/documents/documents.ts";
import type { Data } from "../engine/documents/rows.ts";
import type { PaginationSettings } from "../engine/query/list-params.ts";
import type { Params } from "../engine/query/parse.ts";
import type { Document } from "../engine/query/select.ts";
import { apiTypes, type ContentType, type Model } from "../engine/schema/model.ts";
import { type MaybePromise, whenReady } from "../lib/when-ready.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Below the API prefix; `:name` is a parameter. */
  readonly path: string;
  /** The permission; undefined: none is needed. */
  readonly action: string | undefined;
}

/** The input of an operation on a content-type, from any protocol. */
export interface ContentInput {
  readonly params: Params;
  readonly documentId: string | undefined;
  readonly data: Data;
  readonly pagination: PaginationSettings;
}

export type ContentResult =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "document"; readonly document: Document | null }
  | { readonly kind: "nothing" };

export interface ContentAction {
  readonly method: Method;
  readonly path: (type: ContentType) => string;
  /** HTTP status on success. */
  readonly status: number;
  /** Whether the body's `data` is read as input. */
  readonly writes: boolean;
  readonly run: (service: Documents, input: ContentInput) => MaybePromise<ContentResult>;
}

/** What is read is only written as JSON. */
const SHARED = { sharesRows: true };
const documentResult = (found: Document | null): ContentResult => ({ kind: "document", document: found });
const pageResult = (page: Page): ContentResult => ({ kind: "page", page });
const collectionPath = (type: ContentType): string => `/${type.pluralName}`;
const documentPath = (type: ContentType): string => `/${type.pluralName}/:id`;
const singlePath = (type: ContentType): string => `/${type.singularName}`;

const collectionRows: Readonly<Record<ContentActionName, ContentAction>> = {
  find: {
    method: "GET",
    path: collectionPath,
    status: 200,
    writes: false,
    run: (service, { params, pagination }) => whenReady(service.findPage(params, pagination, SHARED), pageResult),
  },
  findOne: {
    method: "GET",
    path: documentPath,
    status: 200,
    writes: false,
    run: (service, { params, documentId }) =>
      whenReady(service.readOneSteadily(params, documentId, SHARED), documentResult),
  },
  create: {
    method: "POST",
    path: collectionPath,
    status: 201,
    writes: true,
    run: async (service, { params, data }) => documentResult(await service.create({ ...params, data })),
  },
  update: {
    method: "PUT",
    path: documentPath,
    status: 200,
    writes: true,
    run: async (service, { params, documentId, data }) =>
      documentResult(await service.update({ ...params, documentId: documentId!, data })),
  },
  delete: {
    method: "DELETE",
    path: documentPath,
    status: 204,
    writes: false,
    run: async (service, { params, documentId }) => {
      await service.delete({ ...params, documentId: documentId! });
      return { kind: "nothing" };
    },
  },
};

const singleRows = {
  find: { ...collectionRows.findOne, path: singlePath },
  update: {
    ...collectionRows.update,
    path: singlePath,
    run: async (service, { params, data }) => documentResult(await service.createOrUpdate({ ...params, data })),
  },
  delete: {
    ...collectionRows.delete,
    path: singlePath,
    run: async (service, { params }) => {
      await service.deleteSingle(params);
      return { kind: "nothing" };
    },
  },
} as const satisfies Partial<Record<ContentActionName, ContentAction>>;

function contentAction(type: ContentType, name: ContentActionName): ContentAction {
  const rows: Partial<Record<ContentActionName, ContentAction>> =
    type.kind === "singleType" ? singleRows : collectionRows;
  const row = rows[name];
  if (!row) throw new Error(`${type.uid} has no action ${name}`);
  return row;
}

export interface ContentRoute extends Route {
  readonly type: ContentType;
  readonly row: ContentAction;
}

export const contentRoutes = (model: Model): ContentRoute[] =>
  apiTypes(model).flatMap((type) =>
    contentActions(type).map((name) => {
      const row = contentAction(type, name);
      return { method: row.method, path: row.path(type), action: `${type.uid}.${name}`, type, row };
    }),
  );
