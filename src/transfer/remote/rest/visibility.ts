/** What of a model an API token may not look at. Nothing says it in advance: the server's answers show it. */
import { isRecord } from "../../../query/key-check.ts";
import { apiTypes, type ContentType, type Model } from "../../../schema/model.ts";
import { type PopulateTree, populateTree } from "./populate.ts";

export class Visibility {
  readonly #model: Model;
  /** "uid.attribute", which the server refuses to show. */
  readonly #refused = new Set<string>();
  /** "uid.attribute", which the server leaves out: relations to types that the token may not find. */
  readonly #omitted = new Set<string>();
  readonly #withheldTypes = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** What can be populated of a type. */
  tree(type: ContentType): PopulateTree {
    return populateTree(this.#model, type, (name) => this.#refused.has(name));
  }

  withhold({ uid }: ContentType): void {
    this.#withheldTypes.add(uid);
  }

  isWithheld({ uid }: ContentType): boolean {
    return this.#withheldTypes.has(uid);
  }

  /** Takes the attribute that a refused key names out of later trees. False where there is none. */
  refuse(type: ContentType, key: string): boolean {
    const name = key.split(".").at(-1)!;
    const isRoot = type.attributes.has(name) && !key.includes(".");
    const owners = isRoot ? [type] : [type, ...this.#model.components.values()];
    const names = owners.filter(({ attributes }) => attributes.has(name)).map(({ uid }) => `${uid}.${name}`);
    const fresh = names.filter((found) => !this.#refused.has(found));
    for (const found of fresh) this.#refused.add(found);
    return fresh.length > 0;
  }

  /** `populated`: attributes that were asked for; `body`: a document or a list of them. */
  compare({ uid }: ContentType, body: unknown, populated: readonly string[]): void {
    const data = isRecord(body) ? body.data : undefined;
    const first = Array.isArray(data) ? data[0] : data;
    if (!isRecord(first)) return;
    for (const name of populated) if (!Object.hasOwn(first, name)) this.#omitted.add(`${uid}.${name}`);
  }

  /** For the person at the command line, a line each. */
  notes(): string[] {
    const schemas = [...apiTypes(this.#model), ...this.#model.components.values()];
    const silent = schemas.flatMap(({ uid, attributes }) =>
      [...attributes.values()]
        .filter((item) => !item.system && (item.private || (item.kind === "scalar" && item.type.isSecret)))
        .map(({ name }) => `${uid}.${name}`),
    );
    return [
      ...[...this.#withheldTypes].map((uid) => `not seen: ${uid}, which the token may not find`),
      ...[...new Set([...this.#refused, ...this.#omitted])].map(
        (name) => `not seen: ${name}, whose targets the token may not find`,
      ),
      ...(silent.length > 0 ? [`not answered by REST: ${silent.join(", ")} (private, or passwords)`] : []),
    ];
  }
}
