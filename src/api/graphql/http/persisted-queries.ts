/** Automatic persisted queries: a client sends the hash of an operation, and its text only when the server lacks it. */
import { LRUCache } from "lru-cache";
import { toRecord } from "../../../lib/is-record.ts";
import { badRequest } from "./bad-request.ts";
import type { OperationParams } from "./operation-params.ts";

/** Size of the cache, in characters. */
const MAX_SIZE = 1_000_000;

const INTERNAL = { code: "INTERNAL_SERVER_ERROR" };

export class PersistedQueries {
  readonly #texts = new LRUCache<string, string>({ maxSize: MAX_SIZE, sizeCalculation: (text) => text.length + 1 });

  readonly #isEnabled: boolean;

  constructor(isEnabled: boolean) {
    this.#isEnabled = isEnabled;
  }

  /** The text of the operation. Throws if it is missing, or does not match the hash. */
  resolveText({ query, extensions }: OperationParams): string {
    if (!extensions?.persistedQuery) {
      if (query) return query;
      throw badRequest("GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.");
    }
    if (!this.#isEnabled)
      throw badRequest("PersistedQueryNotSupported", { status: 200, code: "PERSISTED_QUERY_NOT_SUPPORTED" });
    const { version, sha256Hash } = toRecord(extensions.persistedQuery);
    if (version !== 1) throw badRequest("Unsupported persisted query version", INTERNAL);
    if (query === undefined) {
      const text = typeof sha256Hash === "string" ? this.#texts.get(sha256Hash) : undefined;
      if (text !== undefined) return text;
      throw badRequest("PersistedQueryNotFound", { status: 200, code: "PERSISTED_QUERY_NOT_FOUND" });
    }
    if (sha256Hash !== hashText(query)) throw badRequest("provided sha does not match query", INTERNAL);
    return query;
  }

  /** Caches the text of a valid operation, if the client requests it. */
  store({ query, extensions }: OperationParams): void {
    if (query !== undefined && extensions?.persistedQuery) this.#texts.set(hashText(query), query);
  }
}

const hashText = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
