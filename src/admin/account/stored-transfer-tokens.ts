/** The transfer tokens in the database: names are unique, and keys are stored hashed. */

import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { applicationError } from "../../lib/errors.ts";

export interface TransferToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly hash: string;
}

type NewToken = Pick<TransferToken, "name" | "description" | "permissions" | "lifespan" | "expiresAt">;
type TokenChange = Partial<Pick<TransferToken, "name" | "description" | "permissions">>;

const KEY = "galley_transfer_tokens";
const MAX_TOKENS = 1_000;

const hashKey = (key: string): string => new Bun.CryptoHasher("sha512").update(key).digest("hex");

function refuseTaken(tokens: readonly TransferToken[], name: string, ownId?: number): void {
  if (tokens.some((token) => token.name === name && token.id !== ownId)) throw applicationError("Name already taken");
}

export class TransferTokens {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** In the order of their ids. */
  list(): TransferToken[] {
    return (storedValue(this.#storage, KEY) ?? []) as TransferToken[];
  }

  /** Rejects with an ApplicationError for a name that is taken, and if there are too many. */
  async create(values: NewToken, key: string): Promise<TransferToken> {
    const now = new Date().toISOString();
    let created: TransferToken | undefined;
    await this.#save((tokens) => {
      refuseTaken(tokens, values.name);
      if (tokens.length >= MAX_TOKENS) throw applicationError(`There are ${MAX_TOKENS} tokens already`);
      const id = Math.max(0, ...tokens.map((token) => token.id)) + 1;
      created = { id, ...values, createdAt: now, updatedAt: now, hash: hashKey(key) };
      return [...tokens, created];
    });
    return created!;
  }

  /** Rejects with an ApplicationError for a name that is taken. */
  async change(before: TransferToken, change: TokenChange): Promise<TransferToken> {
    const next = { ...before, ...change, updatedAt: new Date().toISOString() };
    await this.#save((tokens) => {
      refuseTaken(tokens, next.name, before.id);
      return tokens.map((token) => (token.id === before.id ? next : token));
    });
    return next;
  }

  setKey(id: number, key: string): Promise<void> {
    return this.#save((tokens) => tokens.map((token) => (token.id === id ? { ...token, hash: hashKey(key) } : token)));
  }

  delete(id: number): Promise<void> {
    return this.#save((tokens) => tokens.filter((token) => token.id !== id));
  }

  #save(change: (tokens: TransferToken[]) => TransferToken[]): Promise<void> {
    return this.#storage.write(() => setStored(this.#storage, KEY, change(this.list())));
  }
}
