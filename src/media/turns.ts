/** Lets so much work run at a time and makes the rest wait, in order of arrival. */
export class Turns {
  readonly #capacity: number;
  readonly #slots: number;
  #used = 0;
  #running = 0;
  readonly #waiting: { readonly weight: number; readonly begin: () => void }[] = [];

  /** `slots`: how many at a time; `capacity`: how much weight at a time. A heavier piece of work runs alone. */
  constructor(slots: number, capacity: number) {
    this.#slots = slots;
    this.#capacity = capacity;
  }

  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const own = Math.min(weight, this.#capacity);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ weight: own, begin: resolve });
    this.#next();
    await promise;
    try {
      return await work();
    } finally {
      this.#used -= own;
      this.#running--;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (this.#running >= this.#slots || this.#used + first.weight > this.#capacity) return;
      this.#waiting.shift();
      this.#running++;
      this.#used += first.weight;
      first.begin();
    }
  }
}
