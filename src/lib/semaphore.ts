/** Limits how much work runs concurrently; further work waits in a queue. */
export class Semaphore {
  readonly #slots: number;
  readonly #capacity: number;
  #running = 0;
  #used = 0;
  readonly #queue: { readonly weight: number; readonly start: () => void }[] = [];

  /** `slots`: maximum number of jobs; `capacity`: maximum total weight. A heavier job runs alone. */
  constructor(slots: number, capacity = slots) {
    this.#slots = slots;
    this.#capacity = capacity;
  }

  /** The length of the queue. */
  get waiting(): number {
    return this.#queue.length;
  }

  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const boundedWeight = Math.min(weight, this.#capacity);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push({ weight: boundedWeight, start: resolve });
    this.#startNext();
    await promise;
    try {
      return await work();
    } finally {
      this.#used -= boundedWeight;
      this.#running--;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (this.#running >= this.#slots || this.#used + next.weight > this.#capacity) return;
      this.#queue.shift();
      this.#running++;
      this.#used += next.weight;
      next.start();
    }
  }
}
