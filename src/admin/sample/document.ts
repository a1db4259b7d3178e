/** The data of one sample document, by the attributes of its type. */
import { isVisible } from "../../engine/documents/conditions.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Data } from "../../engine/documents/rows.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import {
  type Attribute,
  type ComponentAttribute,
  component,
  contentType,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { findMainField } from "../content-manager/main-field.ts";
import { editedStatus } from "../read-rows.ts";
import type { Random } from "./random.ts";
import { valueFor } from "./values.ts";

/** Candidates: the newest entries of a type. */
const MAX_CHOICES = 200;
const MAX_LINKS = 3;

/** LIKE patterns of media types by name in `allowedTypes`; other names match any file. */
const MEDIA: Readonly<Record<string, string>> = { images: "image/%", videos: "video/%", audios: "audio/%" };

function linkChoices(context: DocumentsContext, locale: string | undefined) {
  /** Undefined without a possible target. Links of other documents are never taken over. */
  function relation(random: Random, attribute: RelationAttribute): unknown {
    const target = attribute.target === undefined ? undefined : context.model.types.get(attribute.target);
    if (!target || attribute.virtual) return undefined;
    const { storage } = context;
    const { field, side } = attribute.link;
    const otherColumn = side === "owner" ? "target" : "owner";
    const isFree = `NOT EXISTS (SELECT 1 FROM galley_links l WHERE l.field = ? AND l.${otherColumn} = t.id)`;
    const sql = `SELECT t.document_id FROM ${quote(target.table)} t WHERE t.status = ? AND t.locale IS ?
      ${attribute.exclusive ? `AND ${isFree}` : ""} ORDER BY t.id DESC LIMIT ${MAX_CHOICES}`;
    const targetLocale = target.localized ? (locale ?? context.defaultLocale()) : null;
    const params = [editedStatus(target), targetLocale, ...(attribute.exclusive ? [storage.number(field)] : [])];
    const found = storage.all(sql, params).map(([documentId]) => documentId as string);
    return choose(random, found, attribute);
  }

  function media(random: Random, attribute: MediaAttribute): unknown {
    const { storage, model } = context;
    const { allowedTypes } = attribute.definition;
    const kinds = Array.isArray(allowedTypes) ? allowedTypes.map((kind) => MEDIA[String(kind)] ?? "%") : ["%"];
    const sql = `SELECT id FROM ${quote(contentType(model, FILE).table)} WHERE ${kinds.map(() => "mime LIKE ?").join(" OR ") || "1"}
      ORDER BY id DESC LIMIT ${MAX_CHOICES}`;
    const found = storage.all(sql, kinds).map(([id]) => id as number);
    return choose(random, found, attribute);
  }

  function choose(random: Random, found: readonly unknown[], { many }: RelationAttribute | MediaAttribute): unknown {
    if (found.length === 0) return undefined;
    return many ? random.sample(found, random.between(1, MAX_LINKS)) : random.pick(found);
  }
  return { relation, media };
}

/** Maximum nesting of components, as they may contain themselves. */
const MAX_DEPTH = 4;
const MAX_ENTRIES = 3;
/** Optional attributes are sometimes left empty. */
const FILL_PROBABILITY = 0.9;
/** Attempts to find a unique value. */
const ATTEMPTS = 40;
/** Plausible values are rare then. */
const CROWDED = 20;

/** A link that has no possible target. */
export interface MissingLink {
  readonly attribute: RelationAttribute | MediaAttribute;
  /** The data that the link would be in. */
  readonly data: Record<string, unknown>;
}

/** Unique values of documents that are not written yet. */
export type UsedValues = Map<ScalarAttribute, Set<unknown>>;

export class SampleGenerator {
  readonly missing: MissingLink[] = [];

  /** The names of attributes without a possible link target. */
  get unlinked(): string[] {
    return [...new Set(this.missing.map(({ attribute }) => attribute.name))];
  }

  readonly #used: UsedValues;
  readonly #context: DocumentsContext;
  readonly #links: ReturnType<typeof linkChoices>;

  constructor(context: DocumentsContext, locale: string | undefined, used: UsedValues = new Map()) {
    this.#used = used;
    this.#context = context;
    this.#links = linkChoices(context, locale);
  }

  generate(random: Random, schema: Schema, depth = 0): Data {
    const data: Record<string, unknown> = {};
    // uids are generated from other attributes
    const uidAttributes: Attribute[] = [];
    const mainField = findMainField(schema);
    const fill = (attribute: Attribute): void => {
      const value = this.#value(random, schema, attribute, data, depth);
      if (value !== undefined) data[attribute.name] = value;
    };
    for (const attribute of schema.attributes.values()) {
      if (attribute.system || !attribute.writable) continue;
      if (attribute.kind === "scalar" && attribute.definition.type === "uid") uidAttributes.push(attribute);
      else if (isRequired(attribute) || attribute.name === mainField || random.chance(FILL_PROBABILITY))
        fill(attribute);
    }
    for (const attribute of uidAttributes) fill(attribute);
    for (const attribute of schema.attributes.values()) if (!isVisible(attribute, data)) delete data[attribute.name];
    return data;
  }

  #value(random: Random, schema: Schema, attribute: Attribute, data: Record<string, unknown>, depth: number): unknown {
    switch (attribute.kind) {
      case "scalar":
        return this.#scalar(random, schema, attribute, data);
      case "relation": {
        const value = this.#links.relation(random, attribute);
        if (value === undefined && attribute.target && !attribute.virtual) this.missing.push({ attribute, data });
        return value;
      }
      case "media": {
        const value = this.#links.media(random, attribute);
        if (value === undefined) this.missing.push({ attribute, data });
        return value;
      }
      case "component":
        if (depth >= MAX_DEPTH) return attribute.many ? [] : undefined;
        return attribute.many
          ? this.#entries(random, attribute, () => attribute.component, depth)
          : this.generate(random, component(this.#context.model, attribute.component), depth + 1);
      case "zone":
        if (depth >= MAX_DEPTH || attribute.components.length === 0) return [];
        return this.#entries(random, attribute, () => random.pick(attribute.components), depth);
    }
  }

  #entries(
    random: Random,
    attribute: ComponentAttribute | ZoneAttribute,
    chooseUid: () => string,
    depth: number,
  ): Data[] {
    const { min, max } = attribute.definition as { readonly min?: number; readonly max?: number };
    const minEntries = Math.max(1, min ?? 1);
    const maxEntries = Math.max(minEntries, Math.min(max ?? MAX_ENTRIES, Math.max(minEntries, MAX_ENTRIES)));
    return Array.from({ length: random.between(minEntries, maxEntries) }, () => {
      const uid = chooseUid();
      const entry = this.generate(random, component(this.#context.model, uid), depth + 1);
      return attribute.kind === "zone" ? { __component: uid, ...entry } : entry;
    });
  }

  #scalar(random: Random, schema: Schema, attribute: ScalarAttribute, data: Data): unknown {
    const owner = schema.modelType === "contentType" ? schema.singularName : schema.displayName;
    const context = { random, attribute, owner, data };
    const isUid = attribute.definition.type === "uid";
    if (!attribute.unique && !isUid) return valueFor({ ...context, isCrowded: false });
    const used = this.#used.getOrInsertComputed(attribute, () => new Set());
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const value = valueFor({ ...context, isCrowded: attempt > (isUid ? 1 : CROWDED) });
      if (value === undefined) return undefined;
      if (used.has(value) || this.#isTaken(schema, attribute, value)) continue;
      used.add(value);
      return value;
    }
    return undefined;
  }

  /** In any version and locale. */
  #isTaken({ table }: Schema, { column, type }: ScalarAttribute, value: unknown): boolean {
    const sql = `SELECT 1 FROM ${quote(table)} WHERE ${quote(column)} = ? LIMIT 1`;
    return this.#context.storage.first(sql, [type.store(value)]) !== undefined;
  }
}

const isRequired = ({ required, definition }: Attribute): boolean =>
  required || (typeof definition.min === "number" && definition.min > 0);
