/** Converts the rows and links of a database to documents of content files, with links by document id. */

import { FILE, USER } from "../../engine/schema/builtin/index.ts";
import type { Attribute, ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { apiTypes } from "../../engine/schema/model.ts";
import { stringOrEmpty } from "../../lib/coerce.ts";
import type { Entity, Json, LinkRow } from "../archive/shapes.ts";
import { type ExportSource, entityRows, linkRows } from "../export/export-archive.ts";
import { compareLoadKeys, type DocumentFile, type LinkFile, type LoadKey, type VersionFile } from "./format.ts";

/** The owner of links: a row of a content-type, or a component in one. */
interface LinkOwner {
  readonly version: Version;
  /** Position in the order in which files are read. */
  order: number;
  /** By attribute. */
  readonly links: Map<string, { readonly position: number; readonly link: LinkRow }[]>;
}

interface Version {
  readonly entity: Entity;
  readonly type: ContentType;
  readonly documentId: string;
  readonly status: "draft" | "published";
  readonly locale: string | null;
}

const keyOf = (type: string, id: unknown): string => `${type} ${id}`;
const isMixed = (attribute: Attribute): boolean => attribute.kind === "relation" && attribute.target === undefined;

const loadKeyOf = (version: Version): LoadKey => ({
  ...version,
  createdAt: version.entity.data.createdAt,
  publishedAt: version.entity.data.publishedAt,
});

export class DocumentReader {
  readonly #model: Model;
  readonly #defaultLocale: string;
  readonly #versions = new Map<string, Version>();
  readonly #linkOwners = new Map<string, LinkOwner>();
  /** Names of files and users, which links use instead of ids. */
  readonly #names = new Map<string, string>();
  readonly #orders = new Map<LinkRow, number>();
  readonly files: Entity[] = [];

  constructor(source: ExportSource) {
    const { model, defaultLocale } = source.context;
    this.#model = model;
    this.#defaultLocale = defaultLocale();
    const types = new Map(apiTypes(model).map((type) => [type.uid, type]));
    for (const entity of entityRows(source)) {
      const type = types.get(entity.type);
      if (type) this.#addVersion(type, entity);
      else if (entity.type === FILE) this.#addFile(entity);
      else if (entity.type === USER) this.#names.set(keyOf(USER, entity.id), `users/${entity.data.username}`);
    }
    this.#number();
    for (const link of linkRows(source)) this.#addLink(link);
    this.#findOrders();
  }

  #addFile(entity: Entity): void {
    this.files.push(entity);
    this.#names.set(keyOf(FILE, entity.id), `${entity.data.hash}${entity.data.ext ?? ""}`);
  }

  #addVersion(type: ContentType, entity: Entity): void {
    const { data } = entity;
    const isDraft = type.draftAndPublish && data.publishedAt === null;
    const version: Version = {
      entity,
      type,
      documentId: stringOrEmpty(data.documentId),
      status: isDraft ? "draft" : "published",
      locale: typeof data.locale === "string" ? data.locale : null,
    };
    this.#versions.set(keyOf(type.uid, entity.id), version);
  }

  /** Numbers rows, each followed by its components. */
  #number(): void {
    let order = 0;
    const add = (schema: Schema, id: unknown, data: Json, version: Version): void => {
      this.#linkOwners.set(keyOf(schema.uid, id), { version, order: ++order, links: new Map() });
      for (const attribute of schema.attributes.values())
        for (const [part, partSchema] of this.#parts(attribute, data[attribute.name]))
          add(partSchema, part.id, part, version);
    };
    for (const version of [...this.#versions.values()].sort((a, b) => compareLoadKeys(loadKeyOf(a), loadKeyOf(b))))
      add(version.type, version.entity.id, version.entity.data, version);
  }

  *#parts(attribute: Attribute, value: unknown): Generator<readonly [Json, Schema]> {
    if (attribute.kind !== "component" && attribute.kind !== "zone") return;
    for (const part of (Array.isArray(value) ? value : value ? [value] : []) as Json[]) {
      const uid = attribute.kind === "component" ? attribute.component : String(part.__component);
      const schema = this.#model.components.get(uid);
      if (schema) yield [part, schema];
    }
  }

  #addLink(link: LinkRow): void {
    const isMedia = link.left.type === FILE;
    const owner = isMedia ? link.right : link.left;
    const linkOwner = this.#linkOwners.get(keyOf(owner.type, owner.ref));
    if (!linkOwner || !owner.field) return;
    const position = link.left.pos ?? link.right.pos ?? 1;
    linkOwner.links.getOrInsertComputed(owner.field, () => []).push({ position, link });
  }

  /** Finds lists of targets whose order differs from that of their documents. */
  #findOrders(): void {
    const lists = new Map<string, { readonly link: LinkRow; readonly order: number }[]>();
    for (const { order, links } of this.#linkOwners.values())
      for (const { link } of [...links.values()].flat())
        if (link.right.field !== undefined && link.right.pos !== undefined && link.kind !== "relation.morph")
          lists
            .getOrInsertComputed(
              `${keyOf(link.right.type, link.right.ref)} ${link.left.type} ${link.left.field}`,
              () => [],
            )
            .push({ link, order });
    for (const list of lists.values()) {
      const byPosition = list.toSorted((a, b) => a.link.right.pos! - b.link.right.pos! || a.order - b.order);
      if (byPosition.every(({ order }, index) => index === 0 || order >= byPosition[index - 1]!.order)) continue;
      for (const [index, { link }] of byPosition.entries()) this.#orders.set(link, index + 1);
    }
  }

  /** `order`: of the link, if it must be written. */
  #linkFile(
    attribute: Attribute,
    { version }: LinkOwner,
    link: LinkRow,
    order: number | undefined,
  ): string | LinkFile | undefined {
    const targetEnd = link.left.type === FILE ? link.left : link.right;
    const name = this.#names.get(keyOf(targetEnd.type, targetEnd.ref));
    if (name !== undefined) return name;
    const target = this.#versions.get(keyOf(targetEnd.type, targetEnd.ref));
    if (!target) return undefined;
    const { type, documentId, status, locale } = target;
    const expected = linkedVersion(type, version, this.#defaultLocale);
    const extras: Omit<LinkFile, "documentId"> = {
      ...(isMixed(attribute) ? { __type: type.uid } : {}),
      ...(status === expected.status ? {} : { status }),
      ...(locale === expected.locale ? {} : { locale }),
      ...(isMixed(attribute) && link.right.field ? { field: link.right.field } : {}),
      ...(order === undefined ? {} : { order }),
    };
    return Object.keys(extras).length === 0 ? documentId : { documentId, ...extras };
  }

  #links(attribute: Attribute, linkOwner: LinkOwner): (string | LinkFile)[] {
    const list = (linkOwner.links.get(attribute.name) ?? []).toSorted((a, b) => a.position - b.position);
    // links of several types have the same order at both ends
    const isListedByTarget = isMixed(attribute) && list.some(({ link }) => link.right.field);
    return list.flatMap(({ link, position }, index) => {
      const order = isListedByTarget && position !== index + 1 ? position : this.#orders.get(link);
      return this.#linkFile(attribute, linkOwner, link, order) ?? [];
    });
  }

  #data(schema: Schema, id: unknown, data: Json): Json {
    const linkOwner = this.#linkOwners.get(keyOf(schema.uid, id))!;
    const out: Record<string, unknown> = {};
    for (const attribute of schema.attributes.values()) {
      const value = this.#value(attribute, linkOwner, data[attribute.name]);
      if (value !== undefined && value !== null) out[attribute.name] = value;
    }
    return out;
  }

  #value(attribute: Attribute, linkOwner: LinkOwner, value: unknown): unknown {
    if (attribute.kind === "scalar") return attribute.system ? undefined : value;
    const values =
      attribute.kind === "relation" || attribute.kind === "media"
        ? this.#links(attribute, linkOwner)
        : [...this.#parts(attribute, value)].map(([part, schema]) => ({
            ...(attribute.kind === "zone" ? { __component: schema.uid } : {}),
            ...this.#data(schema, part.id, part),
          }));
    if (values.length === 0) return undefined;
    // rows without drafts link to both versions of a document, so that even a single link may be two
    return attribute.many || values.length > 1 ? values : values[0];
  }

  /** Documents of a type by id, with the data of their first version, from which file names are derived. */
  documents(type: ContentType): ReadonlyMap<string, { readonly file: DocumentFile; readonly nameSource: Json }> {
    const own = [...this.#versions.values()].filter((version) => version.type === type);
    const documents = new Map<string, { file: DocumentFile; nameSource: Json }>();
    for (const [documentId, versions] of Map.groupBy(own, (version) => version.documentId)) {
      const rank = ({ locale, status }: Version): string =>
        `${locale === this.#defaultLocale || locale === null ? 0 : 1} ${locale} ${status}`;
      const sorted = versions.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
      documents.set(documentId, {
        file: { documentId, versions: sorted.map((version) => this.#versionFile(version)) },
        nameSource: sorted[0]!.entity.data,
      });
    }
    return documents;
  }

  #versionFile({ entity, type, status, locale }: Version): VersionFile {
    const { id, data } = entity;
    return {
      ...(locale === null ? {} : { locale }),
      ...(type.draftAndPublish ? { status } : {}),
      createdAt: stringOrEmpty(data.createdAt),
      updatedAt: stringOrEmpty(data.updatedAt),
      ...(status === "draft" ? {} : { publishedAt: stringOrEmpty(data.publishedAt) }),
      data: this.#data(type, id, data),
    };
  }
}

/** The version of its target that a link leads to by default. */
export const linkedVersion = (
  target: ContentType,
  owner: Pick<Version, "status" | "locale">,
  defaultLocale: string,
): { readonly status: string; readonly locale: string | null } => ({
  status: target.draftAndPublish ? owner.status : "published",
  locale: target.localized ? (owner.locale ?? defaultLocale) : null,
});
