/** The webhooks by the events that they name: the stored ones, and those that are added or removed until the next start. */
import type { Storage } from "../storage/storage.ts";
import { storedWebhooks, WEBHOOKS, type Webhook } from "./webhook.ts";

/** How long webhooks of other processes may be out of date. */
const MAX_AGE_MS = 1_000;

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
