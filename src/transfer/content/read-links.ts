/** Reads the links and media that rows own, as they stand in content files. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { type LinkRow, placeholders, readLinkRows } from "../../engine/documents/link-rows.ts";
import type { Version } from "../../engine/documents/row-store.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import {
  type Attribute,
  apiTypes,
  type ContentType,
  isLink,
  type LinkAttribute,
  ownsLinks,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { visibleRows } from "../export/entities.ts";
import type { ContentLink } from "./content-file.ts";

/** How files name what is linked. What has no name is left out. */
export interface LinkNames {
  /** The name of a document's file: "authors/ada". */
  readonly document: (uid: string, documentId: string) => string | undefined;
  /** The path of a media file, below `media`, by its row id. */
  readonly media: (row: number) => string | undefined;
}

/** The version of a document that owns links, itself or in its components. */
export interface LinkOwner extends Version {
  readonly type: ContentType;
}

export const isOwnLink = (attribute: Attribute): attribute is LinkAttribute =>
  isLink(attribute) && ownsLinks(attribute);

/** A row that links lead to. */
interface Target {
  readonly type: ContentType;
  readonly name: string;
  readonly locale: string | null;
  readonly status: Version["status"];
  /** Whether the document has the other version, too, in this locale. */
  readonly hasOther: boolean;
}

/** A link in the making. */
interface Place {
  readonly target: Target;
  readonly field: string | undefined;
  /** Leads to all versions that a write with the document's id would lead to. */
  isWhole: boolean;
}

/** The version that a write with the id of the document would lead to, or will lead to once the document is published. */
const isExpected = ({ type, status }: LinkOwner, target: Target): boolean =>
  !target.type.draftAndPublish ||
  (type.draftAndPublish ? target.status === status || (status === "published" && !target.hasOther) : !target.hasOther);

/** Whether an attribute of the target's type shows links of the field that carry its name. */
const isShown = ({ attributes }: ContentType, field: string, name: string | null): name is string => {
  const attribute = name === null ? undefined : attributes.get(name);
  return attribute?.kind === "relation" && attribute.link.field === field && attribute.link.targetAttribute === name;
};

export class OwnLinks {
  readonly #names: LinkNames;
  readonly #storage: Storage;
  readonly #defaultLocale: string;
  /** By the type's uid and row id; undefined for rows that files do not lead to. */
  readonly #targets = new Map<string, Map<number, Target | undefined>>();
  /** By the number of the link field and the owner's row id. */
  readonly #rowsByField = new Map<number, Map<number, LinkRow[]>>();
  /** The types that files lead to, by uid and by the numbers of their tables. */
  readonly #types: ReadonlyMap<string | number, ContentType>;

  constructor(context: DocumentsContext, names: LinkNames) {
    const { storage, model } = context;
    this.#names = names;
    this.#storage = storage;
    this.#defaultLocale = context.defaultLocale();
    const user = model.types.get(USER);
    const linked = user ? [...apiTypes(model), user] : apiTypes(model);
    this.#types = new Map(
      linked.flatMap((type): [string | number, ContentType][] => [
        [type.uid, type],
        [storage.number(type.table), type],
      ]),
    );
  }

  /** Replaces the links that are held by those of these rows: one statement for each schema, and for each type of new targets. */
  load(rows: ReadonlyMap<Schema, readonly number[]>): void {
    this.#rowsByField.clear();
    const wanted = new Map<ContentType, Set<number>>();
    for (const [schema, owners] of rows) {
      const attributes = [...schema.attributes.values()].filter(isOwnLink);
      if (attributes.length === 0) continue;
      const fields = attributes.map(({ link }) => this.#storage.number(link.field));
      const where = `owner IN (SELECT value FROM json_each(?)) AND field IN (${placeholders(fields)}) ORDER BY position, target`;
      const linkRows = Map.groupBy(
        readLinkRows(this.#storage, where, [JSON.stringify(owners), ...fields]),
        ({ field }) => field,
      );
      for (const [index, field] of fields.entries()) {
        const own = linkRows.get(field) ?? [];
        this.#rowsByField.set(
          field,
          Map.groupBy(own, ({ owner }) => owner),
        );
        for (const link of own) {
          const type = this.#targetType(attributes[index]!, link);
          if (type && !this.#getTargets(type).has(link.target))
            wanted.getOrInsertComputed(type, () => new Set()).add(link.target);
        }
      }
    }
    for (const [type, ids] of wanted) this.#loadTargets(type, [...ids]);
  }

  #targetType({ kind, target }: LinkAttribute, link: LinkRow): ContentType | undefined {
    return kind === "media" ? undefined : this.#types.get(target ?? link.kind);
  }

  #getTargets({ uid }: ContentType): Map<number, Target | undefined> {
    return this.#targets.getOrInsertComputed(uid, () => new Map());
  }

  #loadTargets(type: ContentType, ids: readonly number[]): void {
    const targets = this.#getTargets(type);
    for (const id of ids) targets.set(id, undefined);
    const table = quote(type.table);
    const name = type.uid === USER ? "username" : "document_id";
    const other = `EXISTS (SELECT 1 FROM ${table} o WHERE o.document_id = t.document_id AND o.locale IS t.locale AND o.status <> t.status)`;
    const sql = `SELECT t.id, t.${name}, t.locale, t.status, ${other} FROM ${table} t WHERE t.id IN (SELECT value FROM json_each(?)) AND ${visibleRows(type, "t")}`;
    for (const [id, key, locale, status, hasOther] of this.#storage.all(sql, [JSON.stringify(ids)])) {
      const linkName = type.uid === USER ? `users/${key}` : this.#names.document(type.uid, key as string);
      if (linkName === undefined) continue;
      targets.set(id as number, { type, name: linkName, locale, status, hasOther: hasOther === 1 } as Target);
    }
  }

  /** What an attribute of a row that was loaded has in a file; undefined: nothing. */
  value(attribute: LinkAttribute, row: number, owner: LinkOwner): unknown {
    const linkRows = this.#rowsByField.get(this.#storage.number(attribute.link.field))?.get(row) ?? [];
    const links =
      attribute.kind === "media"
        ? linkRows.flatMap(({ target }) => this.#names.media(target) ?? [])
        : this.#listLinks(attribute, linkRows, owner);
    // as answers, which show the first of several
    if (!attribute.many) return links[0];
    return links.length === 0 ? undefined : links;
  }

  #listLinks(attribute: RelationAttribute, linkRows: readonly LinkRow[], owner: LinkOwner): (string | ContentLink)[] {
    const places: Place[] = [];
    const indices = new Map<string, number>();
    /** The last place that leads to such a version. */
    const last = { draft: -1, published: -1 };
    for (const link of linkRows) {
      const type = this.#targetType(attribute, link);
      const target = type && this.#getTargets(type).get(link.target);
      if (!target || this.#isHidden(owner, target)) continue;
      const field = isShown(target.type, attribute.link.field, link.targetAttribute) ? link.targetAttribute : undefined;
      const key = `${target.name} ${target.locale} ${field}`;
      const earlier = indices.get(key);
      // both versions are one link, unless the order in one of both would be another one
      if (earlier !== undefined && !places[earlier]!.isWhole && last[target.status] <= earlier) {
        places[earlier]!.isWhole = true;
        last[target.status] = earlier;
        continue;
      }
      indices.set(key, places.length);
      last[target.status] = places.length;
      places.push({ target, field, isWhole: isExpected(owner, target) });
    }
    return places.map((place) => this.#link(place, owner));
  }

  /** As in answers, what is linked in the other version is not shown. */
  #isHidden(owner: LinkOwner, target: Target): boolean {
    return owner.type.draftAndPublish && !isExpected(owner, target);
  }

  #link({ target, field, isWhole }: Place, owner: LinkOwner): string | ContentLink {
    const { type, name, locale, status } = target;
    const ownLocale = owner.type.localized ? owner.locale : this.#defaultLocale;
    const extras: Omit<ContentLink, "document"> = {
      ...(type.localized && locale !== null && locale !== ownLocale ? { locale } : {}),
      ...(isWhole ? {} : { status }),
      ...(field === undefined ? {} : { field }),
    };
    return Object.keys(extras).length === 0 ? name : { document: name, ...extras };
  }
}
