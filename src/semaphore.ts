/** Limits how much work runs at a time; the rest waits in the order of arrival. */
export class Semaphore {
  readonly #slots: number;
  readonly #capacity: number;
  #running = 0;
  #used = 0;
  readonly #queue: { readonly weight: number; readonly start: () => void }[] = [];

  /** `slots`: how many at a time; `capacity`: how much weight at a time. Work with more weight runs alone. */
  constructor(slots: number, capacity = slots) {
    this.#slots = slots;
    this.#capacity = capacity;
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const own = Math.min(weight, this.#capacity);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push({ weight: own, start: resolve });
    this.#startNext();
    await promise;
    try {
      return await work();
    } finally {
      this.#used -= own;
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
