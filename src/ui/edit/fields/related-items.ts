/** Loads the linked documents of a relation, and searches for others to link. */
import { api } from "../../api/client.ts";
import type { Group, Leaf } from "../form/tree.ts";
import type { RelatedDocument, RelationValue } from "../form/values.ts";
import type { OpenDocument } from "../open-document.ts";

interface Page {
  readonly results: readonly RelatedDocument[];
  readonly pagination: { readonly page: number; readonly pageCount: number; readonly total: number };
}

interface Search {
  readonly text: string;
  readonly __type: string | undefined;
}

export const PAGE_SIZE = 50;
const MAX_CHOICES = 20;

/** Requests for one relation of one document or entry. */
export class RelatedItems {
  readonly #base: string;
  readonly #field: string;
  readonly #document: OpenDocument;
  readonly #group: Group;
  readonly #status: "published" | undefined;

  /** `status`: of the document's version if it is not the draft. */
  constructor(document: OpenDocument, group: Group, node: Leaf, status: "published" | undefined) {
    this.#base = `/content-manager/relations/${group.component ?? document.type.uid}`;
    this.#field = node.name;
    this.#document = document;
    this.#group = group;
    this.#status = status;
  }

  /** The id of the document or entry, which may change with each save. */
  get #id(): string | undefined {
    if (this.#group.component !== undefined) return this.#group.entryId?.toString();
    return this.#document.version.peek()?.documentId;
  }

  get #locale(): string | undefined {
    return this.#document.locale;
  }

  /** Loads the next page of linked documents and puts it before the loaded ones. Nothing for unsaved documents. */
  async load(value: RelationValue): Promise<RelationValue> {
    if (this.#id === undefined || value.count === 0) return { ...value, items: value.items ?? [] };
    const page = Math.floor(loadedCount(value) / PAGE_SIZE) + 1;
    const { results, pagination } = await api.get<Page>(`${this.#base}/${this.#id}/${this.#field}`, {
      query: { page, pageSize: PAGE_SIZE, locale: this.#locale, status: this.#status },
    });
    const present = new Set([...(value.items ?? []), ...value.removed].map(({ documentId }) => documentId));
    // the server sorts from last to first
    const found = results.toReversed().filter(({ documentId }) => !present.has(documentId));
    return { ...value, count: pagination.total, items: [...found, ...(value.items ?? [])] };
  }

  /** Documents to link, by a part of their name. `__type`: the type to search in, for polymorphic relations. */
  async find(search: Search, value: RelationValue, signal: AbortSignal): Promise<readonly RelatedDocument[]> {
    const { text, __type } = search;
    const listIds = (items: readonly RelatedDocument[]): readonly number[] =>
      items.filter((item) => item.__type === __type).map(({ id }) => id);
    const query = {
      _q: text || undefined,
      target: __type,
      pageSize: MAX_CHOICES,
      id: this.#id,
      locale: this.#locale,
      idsToOmit: listIds(value.items ?? []),
      idsToInclude: listIds(value.removed),
    };
    const { results } = await api.get<Page>(`${this.#base}/${this.#field}`, { query, signal });
    return __type ? results.map((item) => ({ ...item, __type })) : results;
  }
}

/** The number of linked documents that are loaded, those that are removed here included. */
const loadedCount = ({ items = [], removed }: RelationValue): number =>
  items.filter(({ isAdded }) => isAdded !== true).length + removed.length;

/** The number of linked documents that are not loaded yet. */
export const unloadedCount = (value: RelationValue): number => Math.max(0, value.count - loadedCount(value));
