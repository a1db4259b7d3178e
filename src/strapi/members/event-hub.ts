/** `strapi.eventHub`: events and their listeners. */
import type { EventTarget } from "../../engine/webhooks/entry-events.ts";

type Listener = (...args: readonly unknown[]) => unknown;
type Subscriber = (event: string, ...args: readonly unknown[]) => unknown;

export class EventHub implements EventTarget {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #subscribers = new Set<Subscriber>();
  #webhooks: EventTarget | undefined;

  /** From now on, events are also sent to webhooks. */
  forwardTo(webhooks: EventTarget): void {
    this.#webhooks = webhooks;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0 || this.#subscribers.size > 0 || (this.#webhooks?.hasListeners ?? false);
  }

  listensTo(event: string): boolean {
    const count = (this.#listeners.get(event)?.size ?? 0) + this.#subscribers.size;
    return count > 0 || (this.#webhooks?.listensTo(event) ?? false);
  }

  readonly emit = async (event: string, ...args: readonly unknown[]): Promise<void> => {
    for (const listener of this.#listeners.get(event) ?? []) await listener(...args);
    for (const subscriber of this.#subscribers) await subscriber(event, ...args);
    this.#webhooks?.emit(event, ...args);
  };

  readonly on = (event: string, listener: Listener): (() => void) => {
    this.#listeners.getOrInsertComputed(event, () => new Set()).add(listener);
    return () => this.off(event, listener);
  };

  readonly once = (event: string, listener: Listener): (() => void) => {
    const end = this.on(event, (...args) => {
      end();
      return listener(...args);
    });
    return end;
  };

  readonly off = (event: string, listener: Listener): void => {
    this.#listeners.get(event)?.delete(listener);
  };

  readonly subscribe = (subscriber: Subscriber): (() => void) => {
    this.#subscribers.add(subscriber);
    return () => this.unsubscribe(subscriber);
  };

  readonly unsubscribe = (subscriber: Subscriber): void => {
    this.#subscribers.delete(subscriber);
  };

  readonly addListener = this.on;
  readonly removeListener = this.off;

  removeAllListeners(): this {
    this.#listeners.clear();
    return this;
  }

  removeAllSubscribers(): this {
    this.#subscribers.clear();
    return this;
  }

  destroy(): this {
    this.removeAllListeners();
    this.removeAllSubscribers();
    this.#webhooks = undefined;
    return this;
  }
}
