/** `strapi.db`: queries, transactions, hooks and the connection. */
import { createNoRows, hasNoRows } from "../data/no-rows.ts";
import type { Runtime } from "../runtime.ts";
import type { Schemas, SchemaView } from "./schemas.ts";

interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

class RolledBack extends Error {}

/** In the database's metadata, ids are attributes. */
function withIds(schema: SchemaView | undefined): object | undefined {
  if (!schema) return undefined;
  const ids = {
    id: { type: "increments" },
    ...(schema.modelType === "component" ? {} : { documentId: { type: "string" } }),
  };
  return { ...schema, attributes: { ...ids, ...schema.attributes } };
}

export function createDatabase(runtime: Runtime, schemas: Schemas, connection: () => unknown) {
  const { transactions, lifecycles } = runtime;

  /** Runs a function in a transaction. Without one, opens a transaction that the caller ends. */
  async function transaction(work?: (handle: TransactionHandle) => unknown): Promise<unknown> {
    if (!work) return openTransaction();
    return transactions.run(async () => {
      const handle: TransactionHandle = {
        get trx() {
          return connection();
        },
        commit: async () => {},
        rollback: async () => {
          throw new RolledBack("The transaction was rolled back");
        },
        onCommit: (done) => void transactions.onCommit(done),
        onRollback: (done) => void transactions.onRollback(done),
      };
      return work(handle);
    });
  }

  /** Opens a transaction until `commit` or `rollback` is called. */
  function openTransaction(): Promise<unknown> {
    const opened = Promise.withResolvers<unknown>();
    const end = Promise.withResolvers<void>();
    const done = transactions.run(async () => {
      opened.resolve({
        commit: async () => {
          end.resolve();
          await done;
        },
        rollback: async () => {
          end.reject(new RolledBack("The transaction was rolled back"));
          await done.catch((error: unknown) => {
            if (!(error instanceof RolledBack)) throw error;
          });
        },
        get: () => connection(),
      });
      await end.promise;
    });
    // reported by commit and rollback
    done.catch(opened.reject);
    return opened.promise;
  }

  return {
    query: (uid: string) => {
      if (hasNoRows(uid)) return createNoRows(uid, runtime.log);
      if (!schemas.of(uid)) throw new Error(`Model ${uid} not found`);
      return runtime.query(uid);
    },
    transaction,
    inTransaction: () => transactions.isInside,
    lifecycles: {
      subscribe: (subscriber: unknown) => lifecycles.subscribe(subscriber),
      clear: () => lifecycles.clear(),
      disable: () => lifecycles.disable(),
      enable: () => lifecycles.enable(),
    },
    metadata: { get: (uid: string) => withIds(schemas.of(uid)), has: (uid: string) => schemas.of(uid) !== undefined },
    dialect: { client: "sqlite" },
    get connection() {
      return connection();
    },
    getConnection: (table?: string) => {
      const own = connection() as (name: string) => unknown;
      return table === undefined ? own : own(table);
    },
    queryBuilder: () => {
      throw new Error("strapi.db.queryBuilder is not there in Galley; use strapi.db.query or strapi.db.connection");
    },
  };
}
