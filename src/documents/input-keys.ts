/**
 * Checks the keys of a request body's data, before anything is looked up: first those that are never written, then those
 * that do not exist, then relations that the caller may not look through. The first offence of the earliest rule counts.
 */
import { type ApiError, type InvalidKey, invalidKeyError, validationError } from "../errors.ts";
import { printValue } from "../print-value.ts";
import { isRecord, joinPath } from "../query/key-check.ts";
import type { CanRead } from "../query/tree.ts";
import { isReadable } from "../query/visibility.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type Attribute, type ContentType, contentType, type Model, type Schema, targetOf } from "../schema/model.ts";
import type { Data } from "./rows.ts";

const OPERATIONS = new Set(["connect", "disconnect", "set", "options"]);
const MIXED_CHANGE = ["connect", "set", "disconnect", "options"];
const IDS = new Set(["id", "documentId"]);

type Rule = "restricted" | "unknown" | "forbidden";
const rules: readonly Rule[] = ["restricted", "unknown", "forbidden"];

class InputCheck {
  #offence: { rank: number; at: InvalidKey } | undefined;
  readonly #model: Model;
  readonly #canRead: CanRead;

  constructor(model: Model, canRead: CanRead) {
    this.#model = model;
    this.#canRead = canRead;
  }

  #report(rule: Rule, at: InvalidKey): void {
    const rank = rules.indexOf(rule);
    if (!this.#offence || rank < this.#offence.rank) this.#offence = { rank, at };
  }

  /** Whether a key that is no attribute has a meaning where it stands. */
  #hasMeaning(key: string, schema: Schema, owner: Attribute | undefined): boolean {
    if (!owner) return IDS.has(key) || (key === "data" && schema.modelType === "contentType");
    const links = owner.kind === "relation" || owner.kind === "media";
    if (key === "__component") return owner.kind === "zone" && schema.modelType === "component";
    if (key === "__type") return owner.kind === "relation" && !owner.target;
    if (OPERATIONS.has(key)) return links;
    return IDS.has(key) && (links || owner.kind === "component" || owner.kind === "zone");
  }

  visit(schema: Schema, data: unknown, path: string | null, owner: Attribute | undefined): void {
    if (!isRecord(data)) return;
    for (const [key, value] of Object.entries(data)) {
      const attribute = schema.attributes.get(key);
      if (!attribute) {
        if (!this.#hasMeaning(key, schema, owner)) this.#report("unknown", { key, path });
        continue;
      }
      const here = joinPath(path, key);
      if (path === null && !attribute.writable) this.#report("restricted", { key, path: here });
      if (!isReadable(schema, attribute, this.#canRead)) this.#report("forbidden", { key, path: here });
      if (attribute.kind === "relation" && !attribute.target) this.#mixed(schema, key, value, here);
      if (value === null || value === undefined) continue;
      this.#inside(attribute, value, here);
      this.#lists(attribute, value, here);
    }
  }

  /** Targets of several types name theirs, and the caller must be allowed to find each. */
  #mixed(schema: Schema, key: string, value: unknown, path: string): void {
    if (value === true || (isRecord(value) && value.count === true)) return;
    const isReadableList = (targets: unknown): boolean =>
      Array.isArray(targets) &&
      targets.every(
        (item) => isRecord(item) && typeof item.__type === "string" && this.#canRead(item.__type, schema.uid),
      );
    const isChange = isRecord(value) && MIXED_CHANGE.some((name) => name in value);
    const lists = isChange ? [value.connect || [], value.set || [], value.disconnect || []] : [value];
    if (!lists.every(isReadableList)) this.#report("forbidden", { key, path });
    else if (isChange) this.#options(key, value.options, path);
  }

  #options(key: string, options: unknown, path: string): void {
    if (options === null || options === undefined) return;
    if (typeof options !== "object") return this.#report("forbidden", { key, path });
    for (const [name, value] of Object.entries(options)) {
      if (name !== "strict" || typeof value !== "boolean") this.#report("forbidden", { key: name, path });
    }
  }

  #inside(attribute: Attribute, value: unknown, path: string): void {
    if (attribute.kind === "scalar") return;
    for (const item of [value].flat()) {
      const target =
        attribute.kind === "relation" && !attribute.target && isRecord(item)
          ? this.#model.types.get(String(item.__type))
          : attribute.kind === "zone"
            ? this.#model.components.get(isRecord(item) ? String(item.__component) : "")
            : attribute.kind === "media"
              ? contentType(this.#model, FILE)
              : targetOf(this.#model, attribute);
      if (target) this.visit(target, item, path, attribute);
    }
  }

  /** A list in the place of an entry is refused by its first index. */
  #lists(attribute: Attribute, value: unknown, path: string): void {
    if (attribute.kind === "scalar" || attribute.kind === "zone") return;
    if (attribute.kind === "relation" && !attribute.target) return;
    for (const item of Array.isArray(value) ? value : []) {
      if (Array.isArray(item) && item.length > 0) this.#report("unknown", { key: "0", path });
    }
  }

  error(): ApiError | undefined {
    return this.#offence && invalidKeyError(this.#offence.at, { source: "body" });
  }
}

/** Throws a ValidationError for a body whose `data` is no object, or for its first invalid key. */
export function checkInput(model: Model, type: ContentType, body: unknown, canRead: CanRead): Data {
  const data = isRecord(body) ? body.data : undefined;
  const isList = Array.isArray(data);
  if (!isRecord(data) && !isList) throw validationError('Missing "data" payload in the request body');
  const check = new InputCheck(model, canRead);
  // the keys of a list's items are refused before the list is
  for (const item of isList ? data.flat(Number.POSITIVE_INFINITY) : [data]) {
    if (!isRecord(item)) continue;
    for (const key of IDS) if (key in item) throw invalidKeyError({ key }, { source: "body" });
    check.visit(type, item, null, undefined);
  }
  const error = check.error();
  if (error) throw error;
  if (isList) throw arrayError(data.map(asEntry));
  return data;
}

/** The reference prints what it has made of a list's items. */
const asEntry = (item: unknown): unknown => (Array.isArray(item) ? item.map(asEntry) : { ...Object(item) });

function arrayError(data: readonly unknown[]): ApiError {
  const message = `this must be a \`object\` type, but the final value was: \`null\` (cast from the value \`${printValue(data)}\`).`;
  return validationError(message, { errors: [{ path: [], message, name: "ValidationError", value: null }] });
}
