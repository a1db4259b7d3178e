/** Tracks which types and attributes an API token may not read. That is known only from the server's responses. */
import { isRecord } from "../../../query/key-check.ts";
import { apiTypes, type ContentType, type Model } from "../../../schema/model.ts";
import { type PopulateTree, populateTree } from "./populate.ts";

export class Visibility {
  readonly #model: Model;
  /** Attributes that the server refuses, as "uid.attribute". */
  readonly #refused = new Set<string>();
  /** Attributes that the server omits, as "uid.attribute": relations to types that the token may not find. */
  readonly #omitted = new Set<string>();
  readonly #inaccessibleTypes = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** The attributes of a type that can be populated. */
  tree(type: ContentType): PopulateTree {
    return populateTree(this.#model, type, (name) => this.#refused.has(name));
  }

  markInaccessible({ uid }: ContentType): void {
    this.#inaccessibleTypes.add(uid);
  }

  isInaccessible({ uid }: ContentType): boolean {
    return this.#inaccessibleTypes.has(uid);
  }

  /** Excludes the attribute of a refused key from later requests. Returns false if there is none. */
  refuse(type: ContentType, key: string): boolean {
    const name = key.split(".").at(-1)!;
    const isRoot = type.attributes.has(name) && !key.includes(".");
    const owners = isRoot ? [type] : [type, ...this.#model.components.values()];
    const names = owners.filter(({ attributes }) => attributes.has(name)).map(({ uid }) => `${uid}.${name}`);
    const newNames = names.filter((found) => !this.#refused.has(found));
    for (const found of newNames) this.#refused.add(found);
    return newNames.length > 0;
  }

  /** Finds omitted attributes. `populated`: requested attributes; `body`: a response with a document or a list. */
  compare({ uid }: ContentType, body: unknown, populated: readonly string[]): void {
    const data = isRecord(body) ? body.data : undefined;
    const first = Array.isArray(data) ? data[0] : data;
    if (!isRecord(first)) return;
    for (const name of populated) if (!Object.hasOwn(first, name)) this.#omitted.add(`${uid}.${name}`);
  }

  /** Messages for the command line. */
  notes(): string[] {
    const schemas = [...apiTypes(this.#model), ...this.#model.components.values()];
    const unreturned = schemas.flatMap(({ uid, attributes }) =>
      [...attributes.values()]
        .filter((item) => !item.system && (item.private || (item.kind === "scalar" && item.type.isSecret)))
        .map(({ name }) => `${uid}.${name}`),
    );
    return [
      ...[...this.#inaccessibleTypes].map((uid) => `not seen: ${uid}, which the token may not find`),
      ...[...new Set([...this.#refused, ...this.#omitted])].map(
        (name) => `not seen: ${name}, whose targets the token may not find`,
      ),
      ...(unreturned.length > 0 ? [`not answered by REST: ${unreturned.join(", ")} (private, or passwords)`] : []),
    ];
  }
}
