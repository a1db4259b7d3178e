/** `entry.*` events: what writes of documents have done, reported once they are committed. */
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { type ContentType, contentType, type Model, type Schema } from "../../schema/model.ts";
import type { AsyncTransactions } from "../../storage/async-transactions.ts";
import type { EventHub } from "../strapi/event-hub.ts";
import type { QueryEngine } from "./query-engine.ts";
import { sanitizeOutput } from "./sanitize.ts";

type Entry = Record<string, unknown>;

export interface EventServices {
  readonly hub: EventHub;
  readonly transactions: AsyncTransactions;
  /** As clients see it. */
  readonly model: Model;
  readonly query: (uid: string) => QueryEngine;
  /** Called with what listeners throw. */
  readonly onError: (error: unknown) => void;
}

/** Events about entries that are gone, whose values are those of the result. */
const GONE: ReadonlySet<string> = new Set(["entry.delete", "entry.unpublish"]);

/** The events of actions whose results list entries. */
const ofEntries: Readonly<Record<string, string>> = {
  delete: "entry.delete",
  clone: "entry.create",
  publish: "entry.publish",
  unpublish: "entry.unpublish",
  discardDraft: "entry.draft-discard",
};

const entriesIn = (result: unknown): Entry[] =>
  isRecord(result) && Array.isArray(result.entries) ? result.entries.filter(isRecord) : [];

/** Populates everything of an entry but what its relations lead to. */
function deepPopulate(model: Model, schema: Schema, seen: readonly Schema[] = []): Params {
  if (seen.includes(schema)) return {};
  const inside = (uid: string): unknown => {
    const component = model.components.get(uid);
    return component ? { populate: deepPopulate(model, component, [...seen, schema]) } : true;
  };
  return Object.fromEntries(
    [...schema.attributes.values()].flatMap((attribute): [string, unknown][] => {
      if (attribute.kind === "component") return [[attribute.name, inside(attribute.component)]];
      if (attribute.kind === "zone")
        return [[attribute.name, { on: Object.fromEntries(attribute.components.map((uid) => [uid, inside(uid)])) }]];
      return attribute.kind === "scalar" || attribute.name === "localizations" ? [] : [[attribute.name, true]];
    }),
  );
}

export class EntryEvents {
  readonly #services: EventServices;

  constructor(services: EventServices) {
    this.#services = services;
  }

  /** Costs nothing where nobody listens. It never throws. */
  report(uid: string, action: string, params: Params, result: unknown): void {
    const { hub, transactions, onError } = this.#services;
    if (!hub.hasListeners || result === null || result === undefined) return;
    const emit = (): void => {
      this.#emit(uid, action, params, result).catch(onError);
    };
    if (!transactions.onCommit(emit)) emit();
  }

  async #emit(uid: string, action: string, { status }: Params, result: unknown): Promise<void> {
    const type = contentType(this.#services.model, uid);
    const event = ofEntries[action];
    if (event) {
      for (const entry of entriesIn(result)) await this.#send(type, event, entry);
      return;
    }
    if (!isRecord(result)) return;
    const isPublished = type.draftAndPublish && status === "published";
    const written = isPublished ? await this.#draftOf(type, result) : result;
    await this.#send(type, action === "create" ? "entry.create" : "entry.update", written);
    if (isPublished) await this.#send(type, "entry.publish", result);
  }

  async #draftOf({ uid, localized }: ContentType, { documentId, locale }: Entry): Promise<Entry> {
    const where = { documentId, publishedAt: null, ...(localized ? { locale } : {}) };
    return (await this.#services.query(uid).findOne({ where, select: ["id"] })) ?? {};
  }

  async #send(type: ContentType, event: string, given: Entry): Promise<void> {
    const { hub, model, query } = this.#services;
    const { uid, singularName } = type;
    const read = () => query(uid).findOne({ where: { id: given.id }, populate: deepPopulate(model, type) });
    const entry = GONE.has(event) ? given : await read();
    if (!entry) return;
    await hub.emit(event, { model: singularName, uid, entry: sanitizeOutput(model, type, entry, () => true) });
  }
}
