/** Converts versions of documents to the rows and links of an archive. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE, USER } from "../../engine/schema/builtin/index.ts";
import { type Attribute, contentType, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import type { DocumentFiles, ReadVersion } from "./document-files.ts";
import { linkedVersion } from "./documents.ts";
import { type LinkFile, MEDIA_FOLDER } from "./format.ts";

type LinkAttribute = Attribute & { readonly kind: "relation" | "media" };

/** The location of a value in a document. */
interface ValueLocation {
  readonly read: ReadVersion;
  /** Schema of the row or component that contains the value. */
  readonly schema: Schema;
  readonly id: number;
  /** Path for messages: "sections.items". */
  readonly attributePath: string;
}

export class DocumentRows {
  readonly #context: DocumentsContext;
  readonly #files: DocumentFiles;
  readonly #parts = new Map<string, number>();
  readonly #inverse = new Map<string, number>();
  readonly #users = new Map<string, number>();
  /** Names of missing users. */
  readonly missingUsers = new Set<string>();
  /** Links of the rows so far. */
  readonly links: object[] = [];

  constructor(context: DocumentsContext, files: DocumentFiles) {
    this.#context = context;
    this.#files = files;
    const { table } = contentType(context.model, USER);
    for (const [id, name] of context.storage.all(`SELECT id, username FROM ${quote(table)}`))
      this.#users.set(`users/${name}`, id as number);
  }

  /** The row of a version; adds its links to `links`. Throws a ProjectError that names file and key. */
  row(read: ReadVersion): object {
    const { type, documentId, status, locale, version } = read;
    const { createdAt, updatedAt } = version;
    const publishedAt = status === "draft" ? null : (version.publishedAt ?? createdAt);
    const id = this.#files.idOf(read);
    const data = this.#data(version.data, { read, schema: type, id, attributePath: "" });
    return { type: type.uid, id, data: { ...data, documentId, createdAt, updatedAt, publishedAt, locale } };
  }

  #data(data: Json, { read, schema, id, attributePath }: ValueLocation): Json {
    const out: Record<string, unknown> = {};
    // files have no key for what is null
    for (const attribute of schema.attributes.values())
      if (attribute.kind === "scalar" && !attribute.system) out[attribute.name] = null;
    for (const [key, value] of Object.entries(data)) {
      if (key === "__component") continue;
      const location = { read, schema, id, attributePath: attributePath === "" ? key : `${attributePath}.${key}` };
      const attribute = schema.attributes.get(key);
      if (!attribute || (attribute.kind === "scalar" && attribute.system))
        throw new ProjectError(read.path, location.attributePath, `${schema.uid} has no such attribute`);
      if (value === null) continue;
      if (attribute.kind === "scalar") {
        out[key] = value;
        continue;
      }
      const values = Array.isArray(value) ? value : [value];
      if (attribute.kind === "relation" || attribute.kind === "media")
        for (const [index, link] of values.entries()) this.#link(attribute, link, index + 1, location);
      else {
        const parts = values.map((part) => this.#part(attribute, part, location));
        out[key] = Array.isArray(value) ? parts : parts[0];
      }
    }
    return out;
  }

  #part(
    attribute: Attribute & { readonly kind: "component" | "zone" },
    part: unknown,
    { read, attributePath }: ValueLocation,
  ): Json {
    const uid = attribute.kind === "component" ? attribute.component : isRecord(part) ? part.__component : undefined;
    const schema = typeof uid === "string" ? this.#context.model.components.get(uid) : undefined;
    if (!isRecord(part) || !schema)
      throw new ProjectError(read.path, attributePath, "must be a component of the project");
    const id = (this.#parts.get(schema.uid) ?? 0) + 1;
    this.#parts.set(schema.uid, id);
    const data = this.#data(part, { read, schema, id, attributePath });
    return { ...data, id, ...(attribute.kind === "zone" ? { __component: schema.uid } : {}) };
  }

  #link(
    attribute: LinkAttribute,
    link: unknown,
    position: number,
    { read, schema, id, attributePath }: ValueLocation,
  ): void {
    const owner = { type: schema.uid, ref: id, field: attribute.name };
    const refuse = (problem: string) => new ProjectError(read.path, attributePath, problem);
    if (attribute.kind === "media") {
      const file = this.#files.media.get(String(link));
      if (!file) throw refuse(`there is no file ${MEDIA_FOLDER}/${link} with a record`);
      this.links.push({
        kind: "relation.morph",
        relation: "morphToMany",
        left: { type: FILE, ref: file.id, field: "related" },
        right: { ...owner, pos: position },
      });
      return;
    }
    const { relation } = attribute;
    if (typeof link === "string" && attribute.target === USER) {
      const ref = this.#users.get(link);
      const left = { ...owner, pos: position };
      if (ref === undefined) this.missingUsers.add(link);
      else this.links.push({ kind: "relation.basic", relation, left, right: { type: USER, ref } });
      return;
    }
    const linkFile = (typeof link === "string" ? { documentId: link } : link) as LinkFile;
    const target = isRecord(linkFile)
      ? this.#context.model.types.get(attribute.target ?? String(linkFile.__type))
      : undefined;
    if (!target) throw refuse("must be a document id");
    const expected = linkedVersion(target, read, this.#context.defaultLocale());
    const { documentId, status = expected.status, locale = expected.locale } = linkFile;
    const found = this.#files.find(target.uid, documentId, status, locale);
    if (!found)
      throw refuse(`there is no ${target.singularName} ${documentId} (${[status, locale].filter(Boolean).join(", ")})`);
    const ref = this.#files.idOf(found);
    const list = `${target.uid} ${ref} ${schema.uid} ${attribute.name}`;
    const count = (this.#inverse.get(list) ?? 0) + 1;
    this.#inverse.set(list, count);
    this.links.push(
      attribute.target === undefined
        ? {
            kind: "relation.morph",
            relation,
            left: owner,
            right: { type: target.uid, ref, pos: linkFile.order ?? position, field: linkFile.field },
          }
        : {
            kind: target.uid === schema.uid ? "relation.circular" : "relation.basic",
            relation,
            left: { ...owner, pos: position },
            right: { type: target.uid, ref, pos: linkFile.order ?? count },
          },
    );
  }
}
