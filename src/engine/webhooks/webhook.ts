/** Webhooks as they are stored: with the content, in the format of exports; and the events that they may name. */
import { ApiError, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Storage } from "../storage/storage.ts";

interface StoredWebhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly unconfirmed?: true;
}

/** As Strapi shows it. */
export interface Webhook extends Omit<StoredWebhook, "id" | "enabled" | "unconfirmed"> {
  readonly id: string;
  readonly isEnabled: boolean;
  /** It came with content from elsewhere, and nobody has saved it here: it does not call the local network. */
  readonly isUnconfirmed?: true;
}

export type WebhookValues = Partial<Omit<Webhook, "id" | "isUnconfirmed">>;

/** A webhook of an archive or another server, as it is stored. */
export const asImported = <Row extends object>(row: Row): Row & Pick<StoredWebhook, "unconfirmed"> => ({
  ...row,
  unconfirmed: true,
});

/** A stored webhook, as it is exported. */
export const asExported = <Row extends object>({ unconfirmed: _, ...row }: Row & Pick<StoredWebhook, "unconfirmed">) =>
  row;

/** The key in `galley_meta`; imports and exports use it, too. */
export const WEBHOOKS = "webhooks";
const MAX_WEBHOOKS = 1_000;

/** Imported rows may have any values. */
function readWebhook(row: unknown): Webhook[] {
  if (!isRecord(row)) return [];
  const { id, name, url, headers, events, enabled, unconfirmed } = row;
  const texts = Array.isArray(events) ? events.filter((event) => typeof event === "string") : [];
  const values = isRecord(headers) ? Object.entries(headers).map(([key, value]) => [key, String(value)]) : [];
  return [
    {
      id: String(id),
      name: String(name ?? ""),
      url: String(url ?? ""),
      headers: Object.fromEntries(values),
      events: texts,
      isEnabled: enabled === true,
      ...(unconfirmed === true ? { isUnconfirmed: true } : {}),
    },
  ];
}

export const storedWebhooks = (storage: Storage): Webhook[] =>
  ((storage.metaJson(WEBHOOKS) ?? []) as unknown[]).flatMap(readWebhook);

const asStored = ({ id, isEnabled, isUnconfirmed, ...values }: Webhook): StoredWebhook => ({
  id: Number(id),
  ...values,
  enabled: isEnabled,
  ...(isUnconfirmed ? { unconfirmed: true } : {}),
});

const save = (storage: Storage, webhooks: readonly Webhook[]): void =>
  storage.setMeta(WEBHOOKS, JSON.stringify(webhooks.map(asStored)));

/** The values that are given: undefined ones keep what is stored. */
const given = (values: WebhookValues): WebhookValues =>
  Object.fromEntries(
    (["name", "url", "headers", "events", "isEnabled"] as const)
      .filter((key) => values[key] !== undefined)
      .map((key) => [key, values[key]]),
  );

/** Expects a transaction, as do the other writes. Throws an ApplicationError if there are too many. */
export function insertWebhook(storage: Storage, values: WebhookValues): Webhook {
  const all = storedWebhooks(storage);
  if (all.length >= MAX_WEBHOOKS) throw new ApiError("ApplicationError", `There are ${MAX_WEBHOOKS} webhooks already`);
  const id = Math.max(0, ...all.map((webhook) => Number(webhook.id) || 0)) + 1;
  const created: Webhook = {
    id: String(id),
    ...{ name: "", url: "", headers: {}, events: [], isEnabled: true },
    ...given(values),
  };
  save(storage, [...all, created]);
  return created;
}

/** Confirms it as well. Undefined for an unknown id. */
export function changeWebhook(storage: Storage, id: string, values: WebhookValues): Webhook | undefined {
  const all = storedWebhooks(storage);
  const index = all.findIndex((webhook) => webhook.id === id);
  if (!all[index]) return undefined;
  const { isUnconfirmed: _, ...before } = all[index];
  const changed: Webhook = { ...before, ...given(values) };
  save(storage, all.with(index, changed));
  return changed;
}

export function deleteWebhooks(storage: Storage, ids: ReadonlySet<string>): void {
  save(
    storage,
    storedWebhooks(storage).filter(({ id }) => !ids.has(id)),
  );
}

/** In the order of Strapi, by the names of its constants. */
const CONTENT_EVENTS = [
  ...["ENTRY_CREATE", "ENTRY_UPDATE", "ENTRY_DELETE", "ENTRY_PUBLISH", "ENTRY_UNPUBLISH", "ENTRY_DRAFT_DISCARD"],
  ...["MEDIA_CREATE", "MEDIA_UPDATE", "MEDIA_DELETE"],
].map((key): [string, string] => [key, key.toLowerCase().replace("_", ".").replaceAll("_", "-")]);

export const contentEvents: readonly string[] = CONTENT_EVENTS.map(([, event]) => event);

const allowed = new WeakMap<Storage, Map<string, string>>();

/** Those of a project, as a map that may be changed. */
export const allowedEvents = (storage: Storage): Map<string, string> =>
  allowed.getOrInsertComputed(storage, () => new Map(CONTENT_EVENTS));

/** Throws a ValidationError for the first event that webhooks may not name. */
export function checkEvents(storage: Storage, events: readonly unknown[]): void {
  const values = new Set<unknown>(allowedEvents(storage).values());
  for (const event of events) if (!values.has(event)) throw validationError(`Webhook event ${event} is not supported`);
}

/** How long webhooks of other processes may be out of date. */
const MAX_AGE_MS = 1_000;

/** The webhooks by the events that they name: the stored ones, and those that are added or removed until the next start. */
export class WebhookList {
  readonly #storage: Storage;
  #text: string | undefined;
  #stored: ReadonlyMap<string, Webhook> = new Map();
  /** By id; undefined: removed. */
  readonly #changed = new Map<string, Webhook | undefined>();
  #byEvent: ReadonlyMap<string, readonly Webhook[]> = new Map();
  #seen = { own: -1, others: -1, at: Number.NEGATIVE_INFINITY };

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * Also those that are not enabled. Takes no statement, unless settings may have changed. Never throws, since it is called after writes:
   * webhooks that cannot be read now are read the next time.
   */
  get byEvent(): ReadonlyMap<string, readonly Webhook[]> {
    try {
      if (this.#mayHaveChanged()) this.#load();
    } catch {
      this.invalidate();
    }
    return this.#byEvent;
  }

  set(webhook: Webhook): void {
    this.#load();
    this.#changed.set(webhook.id, webhook);
    this.#group();
  }

  remove(id: string): void {
    this.#load();
    this.#changed.set(id, undefined);
    this.#group();
  }

  /** Expected after writes by another connection of this process. */
  invalidate(): void {
    this.#seen.own = -1;
  }

  #mayHaveChanged(): boolean {
    const own = this.#storage.settingsWrites;
    const now = performance.now();
    if (own === this.#seen.own && now - this.#seen.at < MAX_AGE_MS) return false;
    const others = this.#storage.othersVersion();
    const isSame = own === this.#seen.own && others === this.#seen.others;
    this.#seen = { own, others, at: now };
    return !isSame;
  }

  #load(): void {
    const text = this.#storage.meta(WEBHOOKS) ?? "[]";
    if (text === this.#text) return;
    const before = this.#stored;
    this.#text = text;
    this.#stored = new Map(storedWebhooks(this.#storage).map((webhook) => [webhook.id, webhook]));
    // a webhook that is stored later replaces the change
    for (const id of this.#changed.keys()) {
      if (!Bun.deepEquals(before.get(id), this.#stored.get(id))) this.#changed.delete(id);
    }
    this.#group();
  }

  #group(): void {
    const groups = new Map<string, Webhook[]>();
    for (const webhook of new Map([...this.#stored, ...this.#changed]).values()) {
      for (const event of new Set(webhook?.events)) groups.getOrInsertComputed(event, () => []).push(webhook!);
    }
    this.#byEvent = groups;
  }
}
