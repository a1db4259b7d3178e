/** Emits `entry.*` and `media.*` events for writes of documents and files, after the commit. */

import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import type { FileChange, WriteReports } from "../documents/context.ts";
import { sanitizeOutput } from "../documents/sanitize.ts";
import type { Params } from "../query/parse.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type ContentType, contentType, type Model, type Schema } from "../schema/model.ts";

type Entry = Readonly<Record<string, unknown>>;

/** Where events go. */
export interface EventTarget {
  readonly hasListeners: boolean;
  readonly listensTo: (event: string) => boolean;
  readonly emit: (event: string, ...args: readonly unknown[]) => unknown;
}

export interface EventServices {
  readonly hub: EventTarget;
  /** Calls `done` after the current transaction; returns false outside of one. */
  readonly onCommit: (done: () => unknown) => boolean;
  /** The model that clients see. */
  readonly model: Model;
  /** Reads one row of any version. Attributes that clients do not see are removed later. */
  readonly read: (type: ContentType, id: unknown, populate: Params) => Promise<Entry | null | undefined>;
  /** The row of a document's draft. */
  readonly findDraft: (type: ContentType, entry: Entry) => Promise<Entry | null | undefined>;
  /** Called with errors of listeners. */
  readonly onError: (error: unknown) => void;
}

/** Events about removed entries, which cannot be read again. */
const REMOVALS: ReadonlySet<string> = new Set(["entry.delete", "entry.unpublish"]);

/** The events of actions whose results list entries. */
const eventOfAction: Readonly<Record<string, string>> = {
  delete: "entry.delete",
  clone: "entry.create",
  publish: "entry.publish",
  unpublish: "entry.unpublish",
  discardDraft: "entry.draft-discard",
};

/** Whether an action's result has a list `entries`. Those of others are documents, which may have an attribute of that name. */
export const listsEntries = (action: string): boolean => Object.hasOwn(eventOfAction, action);

const entriesIn = (result: unknown): Entry[] =>
  isRecord(result) && Array.isArray(result.entries) ? result.entries.filter(isRecord) : [];

/** Populates everything of an entry, but nothing inside its relations. */
function deepPopulate(model: Model, schema: Schema, ancestors: readonly Schema[] = []): Params {
  if (ancestors.includes(schema)) return {};
  const inside = (uid: string): unknown => {
    const component = model.components.get(uid);
    return component ? { populate: deepPopulate(model, component, [...ancestors, schema]) } : true;
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

export class EntryEvents implements WriteReports {
  readonly #services: EventServices;
  readonly #running = new Set<Promise<void>>();

  constructor(services: EventServices) {
    this.#services = services;
  }

  get isUsed(): boolean {
    return this.#services.hub.hasListeners;
  }

  /** Emits the events of an action. Does nothing without listeners, and never throws. */
  report(uid: string, action: string, params: Params, result: unknown): void {
    const { hub, onCommit } = this.#services;
    if (!hub.hasListeners || result === null || result === undefined) return;
    const emit = (): void => this.#run(() => this.#emit(uid, action, params, result));
    if (!onCommit(emit)) emit();
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch(this.#services.onError)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Emits `media.*` events for committed changes of files. Does nothing without listeners, and never throws. */
  reportFiles(change: FileChange, files: readonly Entry[]): void {
    const { hub, model } = this.#services;
    if (!hub.listensTo(`media.${change}`)) return;
    const type = contentType(model, FILE);
    const isShown = (name: string): boolean =>
      name === "id" || name === "documentId" || type.attributes.get(name)?.kind === "scalar";
    this.#run(async () => {
      for (const file of files) {
        const media = pickBy(file, (_, name) => isShown(name));
        await hub.emit(`media.${change}`, { media: sanitizeOutput(model, type, media, () => true) });
      }
    });
  }

  async #emit(uid: string, action: string, { status }: Params, result: unknown): Promise<void> {
    const type = contentType(this.#services.model, uid);
    const event = eventOfAction[action];
    if (event) {
      for (const entry of entriesIn(result)) await this.#send(type, event, entry);
      return;
    }
    if (!isRecord(result)) return;
    const isPublished = type.draftAndPublish && status === "published";
    const written = isPublished ? ((await this.#services.findDraft(type, result)) ?? {}) : result;
    await this.#send(type, action === "create" ? "entry.create" : "entry.update", written);
    if (isPublished) await this.#send(type, "entry.publish", result);
  }

  async #send(type: ContentType, event: string, resultEntry: Entry): Promise<void> {
    const { hub, model, read } = this.#services;
    if (!hub.listensTo(event)) return;
    const { uid, singularName } = type;
    const entry = REMOVALS.has(event) ? resultEntry : await read(type, resultEntry.id, deepPopulate(model, type));
    if (!entry) return;
    await hub.emit(event, { model: singularName, uid, entry: sanitizeOutput(model, type, entry, () => true) });
  }
}
