/**
 * Answers to reads, kept until content changes. An answer is kept when it is asked for a second time, so that requests
 * that never come again take no room. Keys must say everything that an answer depends on besides the content.
 */
import type { Storage } from "../storage/storage.ts";

const MOST_BYTES = 16_777_216;
/** A larger answer would push out too many others. */
const LARGEST = MOST_BYTES / 8;
const MOST_KEYS = 10_000;
/** An answer keeps its room for as many requests as there are answers, times this. */
const PATIENCE = 8;

export interface KeptAnswer {
  readonly status: number;
  /** Sent as often as asked for without a copy. */
  readonly content: Blob;
  readonly etag: string;
}

interface Entry extends KeptAnswer {
  /** When it was asked for last, in requests. */
  found: number;
}

/** An answer that is about to be made: for content as it was when it was asked for. */
export interface Asked {
  readonly key: string;
  readonly version: string;
}

/** Weak, since the same answer may be sent compressed. */
export const etagOf = (text: string): string => `W/"${Bun.hash(text).toString(36)}"`;

/** A key's characters take up to two bytes. */
const sizeOf = (key: string, { content }: KeptAnswer): number => 2 * key.length + content.size;

export class AnswerCache {
  readonly #storage: Storage;
  /** Those that were not asked for the longest come first. */
  readonly #answers = new Map<string, Entry>();
  /** Hashes of keys; two keys with one hash only mean that an answer is kept too early. */
  readonly #asked = new Set<bigint | number>();
  #bytes = 0;
  #finds = 0;
  #version = "";

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The kept answer, or what to hand to `offer` with the one that is made now. */
  find(key: string): KeptAnswer | Asked {
    const version = this.#storage.version();
    if (version !== this.#version) this.#forget(version);
    this.#finds++;
    const kept = this.#answers.get(key);
    if (!kept) return { key, version };
    kept.found = this.#finds;
    this.#answers.delete(key);
    this.#answers.set(key, kept);
    return kept;
  }

  /** Content that has changed in the meantime is not in `text`, which then counts for nothing. */
  offer({ key, version }: Asked, status: number, text: string): void {
    if (version !== this.#version || version !== this.#storage.version()) return;
    const hash = Bun.hash(key);
    if (!this.#asked.has(hash)) {
      if (this.#asked.size >= MOST_KEYS) this.#asked.clear();
      this.#asked.add(hash);
      return;
    }
    if (text.length > LARGEST || !this.#hasRoom(text.length)) return;
    const entry = { status, content: new Blob([text]), etag: etagOf(text), found: this.#finds };
    if (sizeOf(key, entry) > LARGEST) return;
    this.#drop(key);
    this.#answers.set(key, entry);
    this.#bytes += sizeOf(key, entry);
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest);
    }
  }

  /** A client that goes through more than fits again and again would find nothing if every answer took another's room. */
  #hasRoom(length: number): boolean {
    if (this.#bytes + length <= MOST_BYTES) return true;
    const [oldest] = this.#answers.values();
    return oldest === undefined || this.#finds - oldest.found > PATIENCE * this.#answers.size;
  }

  #drop(key: string): void {
    const answer = this.#answers.get(key);
    if (!answer) return;
    this.#answers.delete(key);
    this.#bytes -= sizeOf(key, answer);
  }

  #forget(version: string): void {
    this.#answers.clear();
    this.#asked.clear();
    this.#bytes = 0;
    this.#version = version;
  }
}
