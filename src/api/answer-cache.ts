/**
 * Answers to reads, kept until content changes. An answer is kept when it is asked for a second time, so that requests
 * that never come again take no room. Keys must say everything that an answer depends on besides the content.
 */
import type { Storage } from "../storage/storage.ts";

const MOST_BYTES = 16_777_216;
/** A larger answer would push out too many others. */
const LARGEST = MOST_BYTES / 8;
const MOST_KEYS = 10_000;

export interface KeptAnswer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** An answer that is about to be made: for content as it was when it was asked for. */
export interface Asked {
  readonly key: string;
  readonly version: string;
}

/** Weak, since the same answer may be sent compressed. */
export const etagOf = (text: string): string => `W/"${Bun.hash(text).toString(36)}"`;

export class AnswerCache {
  readonly #storage: Storage;
  readonly #answers = new Map<string, KeptAnswer>();
  readonly #asked = new Set<string>();
  #bytes = 0;
  #version = "";

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The kept answer, or what to hand to `offer` with the one that is made now. */
  find(key: string): KeptAnswer | Asked {
    const version = this.#storage.version();
    if (version !== this.#version) this.#forget(version);
    const kept = this.#answers.get(key);
    if (!kept) return { key, version };
    // the last one used is the last one to go
    this.#answers.delete(key);
    this.#answers.set(key, kept);
    return kept;
  }

  /** Content that has changed in the meantime is not in `text`, which then counts for nothing. */
  offer({ key, version }: Asked, status: number, text: string, etag: string): void {
    if (version !== this.#version || version !== this.#storage.version()) return;
    if (!this.#asked.has(key)) {
      if (this.#asked.size >= MOST_KEYS) this.#asked.clear();
      this.#asked.add(key);
      return;
    }
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > LARGEST) return;
    this.#bytes += bytes.length - (this.#answers.get(key)?.bytes.length ?? 0);
    this.#answers.set(key, { status, bytes, etag });
    for (const [oldest, { bytes: gone }] of this.#answers) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#answers.delete(oldest);
      this.#bytes -= gone.length;
    }
  }

  #forget(version: string): void {
    this.#answers.clear();
    this.#asked.clear();
    this.#bytes = 0;
    this.#version = version;
  }
}
