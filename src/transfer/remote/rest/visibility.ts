/** Tracks which types and attributes an API token may not read. That is known only from the server's responses. */

import { FILE, FOLDER } from "../../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType, type Model } from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Unread, UnreadReason } from "../../import/unread.ts";
import { type PopulateTree, populateTree } from "./populate.ts";

const FOLDER_ATTRIBUTES = [`${FILE}.folder`, `${FILE}.folderPath`];

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

  /** Private attributes, passwords, and what belongs to folders of media. */
  #unanswered(): string[] {
    const schemas = [...apiTypes(this.#model), contentType(this.#model, FILE), ...this.#model.components.values()];
    const hidden = schemas.flatMap(({ uid, attributes }) =>
      [...attributes.values()]
        .filter((item) => !item.system && (item.private || (item.kind === "scalar" && item.type.isSecret)))
        .map(({ name }) => `${uid}.${name}`),
    );
    return [...new Set([...hidden, ...FOLDER_ATTRIBUTES])];
  }

  /** The attributes that were found, as JSON; see `restore`. Types are found again by each pull. */
  save(): string {
    return JSON.stringify([[...this.#refused].toSorted(), [...this.#omitted].toSorted()]);
  }

  /** Adds what an earlier pull with the same token found out. */
  restore(saved: string): void {
    const [refused, omitted] = JSON.parse(saved) as [string[], string[]];
    for (const name of refused) this.#refused.add(name);
    for (const name of omitted) this.#omitted.add(name);
  }

  /** The uids of types that the token may find. */
  foundTypes(): string[] {
    return apiTypes(this.#model).flatMap((type) => (this.isInaccessible(type) ? [] : [type.uid]));
  }

  unread(): Unread {
    const all = (names: Iterable<string>, reason: UnreadReason): [string, UnreadReason][] =>
      [...names].map((name) => [name, reason]);
    return {
      types: new Map([[FOLDER, "unanswered"], ...all(this.#inaccessibleTypes, "refused")]),
      attributes: new Map([
        ...all(this.#unanswered(), "unanswered"),
        ...all([...this.#refused, ...this.#omitted], "refused"),
      ]),
    };
  }

  /** Messages for the command line. */
  notes(): string[] {
    const unreturned = this.#unanswered().filter((name) => !name.startsWith("plugin::"));
    return [
      ...[...this.#inaccessibleTypes].map((uid) => `not seen: ${uid}, which the token may not find`),
      ...[...new Set([...this.#refused, ...this.#omitted])].map(
        (name) => `not seen: ${name}, whose targets the token may not find`,
      ),
      ...(unreturned.length > 0 ? [`not answered by REST: ${unreturned.join(", ")} (private, or passwords)`] : []),
    ];
  }
}
