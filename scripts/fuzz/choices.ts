/** The random choices that one request is made of. */
import { Random } from "../../test/random.ts";

/** Requests without mistakes: those that have one are mostly refused before much is done. */
const CAREFUL_SHARE = 0.5;

export class Choices extends Random {
  readonly #isCareful: boolean;

  constructor(seed: number) {
    super(seed);
    this.#isCareful = this.chance(CAREFUL_SHARE);
  }

  /** Whether to make a mistake here. */
  slips(probability: number): boolean {
    return !this.#isCareful && this.chance(probability);
  }
}
