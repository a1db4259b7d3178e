/** Requests to webhooks: a few at once, those of one webhook one after the other, so that its receiver gets events in their order. */

export interface Delivery {
  readonly webhookId: string;
  /** The size of the body, in characters. */
  readonly size: number;
  /** Never rejects. */
  readonly send: (closing: AbortSignal) => Promise<void>;
}

const MAX_RUNNING = 5;
/** Per webhook, so that a receiver that does not respond does not fill the queue of others. */
const MAX_WAITING = 1_000;
const MAX_TOTAL_SIZE = 64 * 1024 * 1024;

export class DeliveryQueue {
  /** By webhook; the first one is next. */
  readonly #waiting = new Map<string, Delivery[]>();
  readonly #busy = new Set<string>();
  readonly #closing = new AbortController();
  #size = 0;
  #isClosed = false;
  readonly #idle: (() => void)[] = [];

  get running(): number {
    return this.#busy.size;
  }

  get waiting(): readonly Delivery[] {
    return [...this.#waiting.values()].flat();
  }

  /** False if the queue is full. */
  add(delivery: Delivery): boolean {
    const { webhookId, size } = delivery;
    const list = this.#waiting.get(webhookId) ?? [];
    if (this.#isClosed || list.length >= MAX_WAITING || this.#size + size > MAX_TOTAL_SIZE) return false;
    this.#size += size;
    list.push(delivery);
    this.#waiting.set(webhookId, list);
    this.#startNext();
    return true;
  }

  #startNext(): void {
    for (const [id, list] of this.#waiting) {
      if (this.#busy.size >= MAX_RUNNING) return;
      if (this.#busy.has(id)) continue;
      const next = list.shift()!;
      // behind the others
      this.#waiting.delete(id);
      if (list.length > 0) this.#waiting.set(id, list);
      this.#busy.add(id);
      void this.#run(next);
    }
    if (this.#busy.size === 0 && this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #run({ webhookId, size, send }: Delivery): Promise<void> {
    await send(this.#closing.signal);
    this.#busy.delete(webhookId);
    this.#size -= size;
    this.#startNext();
  }

  /** Resolves when no request is running or waiting. */
  async idle(): Promise<void> {
    if (this.#busy.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Waits for running and waiting requests, but not for long. Resolves with the number of those that were cut off. */
  async close(limitMs: number): Promise<number> {
    this.#isClosed = true;
    if (this.#busy.size > 0) await Promise.race([this.idle(), Bun.sleep(limitMs)]);
    const count = this.waiting.length + this.#busy.size;
    this.#waiting.clear();
    this.#closing.abort();
    return count;
  }
}
