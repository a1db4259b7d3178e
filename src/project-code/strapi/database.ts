/** `strapi.db`: queries, transactions, hooks and the connection. */
import type { Knex } from "knex";
import { createNoRows, hasNoRows } from "../data/no-rows.ts";
import type { Runtime } from "../runtime.ts";
import { createMetadata } from "./metadata.ts";
import type { Schemas } from "./schemas.ts";

interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

class RolledBack extends Error {}

/** The methods of `strapi.db.entityManager` that take the uid of a type first. */
const repositoryMethods = [
  "findOne",
  "findMany",
  "count",
  "create",
  "createMany",
  "update",
  "updateMany",
  "delete",
  "deleteMany",
  "load",
] as const;

const inspector = (knex: Knex) => ({
  getTables: async (): Promise<string[]> => {
    const rows: { name: string }[] = await knex.raw(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    );
    return rows.map(({ name }) => name);
  },
});

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

  const knex = () => connection() as Knex;
  const query = (uid: string) => {
    if (hasNoRows(uid)) return createNoRows(uid, runtime.log);
    if (!schemas.of(uid)) throw new Error(`Model ${uid} not found`);
    return runtime.query(uid);
  };
  const queryBuilder = (uid: string): object => {
    const type = runtime.raw.model.types.get(uid);
    if (!type) throw new Error(`Metadata for "${uid}" not found`);
    const { createQueryBuilder } = require("../data/query-builder.ts") as typeof import("../data/query-builder.ts");
    return createQueryBuilder({ type, rows: runtime.query(uid).withoutHooks, connection: knex });
  };
  const ofRepository =
    (name: string) =>
    (uid: string, ...args: readonly unknown[]): unknown =>
      (query(uid) as unknown as Record<string, (...own: readonly unknown[]) => unknown>)[name]!(...args);

  return {
    query,
    transaction,
    inTransaction: () => transactions.isInside,
    lifecycles: {
      subscribe: (subscriber: unknown) => lifecycles.subscribe(subscriber),
      clear: () => lifecycles.clear(),
      disable: () => lifecycles.disable(),
      enable: () => lifecycles.enable(),
    },
    metadata: createMetadata(schemas),
    dialect: {
      client: "sqlite",
      useReturning: () => true,
      supportsUnsigned: () => false,
      usesForeignKeys: () => false,
      get schemaInspector() {
        return inspector(knex());
      },
    },
    config: { connection: { client: "sqlite" }, settings: { forceMigration: true, runMigrations: true } },
    getInfo: () => ({ displayName: "galley", client: "sqlite" }),
    getSchemaName: () => undefined,
    getSchemaConnection: () => knex().schema,
    get connection() {
      return connection();
    },
    getConnection: (table?: string) => {
      const own = connection() as (name: string) => unknown;
      return table === undefined ? own : own(table);
    },
    queryBuilder,
    entityManager: {
      ...Object.fromEntries(repositoryMethods.map((name) => [name, ofRepository(name)])),
      getRepository: query,
      createQueryBuilder: queryBuilder,
    },
  };
}
