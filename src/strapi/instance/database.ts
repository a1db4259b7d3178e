/** `strapi.db`: queries, transactions, hooks and the connection. */
import type { Knex } from "knex";
import type { Model, Schema } from "../../engine/schema/model.ts";
import { type AsyncTransactions, RolledBack } from "../../engine/storage/async-transactions.ts";
import { administrationUids } from "../administration/types.ts";
import type { QueryEngine } from "../data/query-engine.ts";
import type { Schemas } from "../data/schemas.ts";
import { provideHandle } from "../packages/transaction-context.ts";
import type { Runtime } from "../runtime.ts";
import { createMetadata } from "./metadata.ts";

interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

type Connection = () => unknown;

/** Opens a transaction until `commit` or `rollback` is called. `get()` is Knex's: it runs statements inside. */
async function openTransaction(connection: Connection): Promise<unknown> {
  const trx = await (connection() as Knex).transaction();
  return {
    commit: async () => void (await trx.commit()),
    rollback: async () => void (await trx.rollback()),
    get: () => trx,
  };
}

/** The function runs another one in a transaction. Without one, it opens a transaction that the caller ends. */
function createTransaction(transactions: AsyncTransactions, connection: Connection) {
  const createHandle = (): Knex => {
    const { asTransaction } = require("../knex/connection.ts") as typeof import("../knex/connection.ts");
    return asTransaction(connection() as Knex, transactions);
  };
  provideHandle(transactions, createHandle);
  return async (work?: (handle: TransactionHandle) => unknown): Promise<unknown> => {
    if (!work) return openTransaction(connection);
    let isRolledBack = false;
    const handle: TransactionHandle = {
      get trx() {
        return createHandle();
      },
      commit: async () => {},
      rollback: async () => {
        isRolledBack = true;
      },
      onCommit: (done) => void transactions.onCommit(done),
      onRollback: (done) => void transactions.onRollback(done),
    };
    // as in Strapi, a nested one is part of the transaction around it: neither an error nor `rollback` ends it
    if (transactions.isInside) return work(handle);
    let result: unknown;
    const run = async (): Promise<void> => {
      result = await work(handle);
      if (isRolledBack) throw new RolledBack();
    };
    // as in Strapi, a rollback that the function asks for is no error
    await transactions.run(run).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result;
  };
}

/** The methods of `strapi.db.entityManager` that take the uid of a type first. */
const entityMethods = [
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
  "populate",
  "attachRelations",
  "updateRelations",
  "deleteRelations",
] as const;

/** The methods of `strapi.db.query(uid)`. */
const repositoryMethods = [...entityMethods, "findWithCount", "findPage", "loadPages"] as const;

type Repository = Pick<QueryEngine, (typeof repositoryMethods)[number]>;

/** As in Strapi, functions of an object, which code may take out of it or spread. */
function createRepository(rows: object): Repository {
  const methods = rows as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  return Object.fromEntries(
    repositoryMethods.map((name) => [name, methods[name]?.bind(rows)]),
  ) as unknown as Repository;
}

const inspector = (knex: Knex, model: Model) => ({
  /** With the tables that Strapi has besides those of Galley. */
  getTables: async (): Promise<string[]> => {
    const rows: { name: string }[] = await knex.raw(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    );
    const { mappedTables } = require("../knex/tables.ts") as typeof import("../knex/tables.ts");
    const names = [...rows, ...mappedTables(model).values()].map(({ name }) => name);
    return [...new Set(names)].sort();
  },
});

/** Whether a table that Strapi has besides those of types and components is mapped. */
function isLinkTable(model: Model, name: string): boolean {
  const { mappedTables } = require("../knex/tables.ts") as typeof import("../knex/tables.ts");
  return mappedTables(model).has(name);
}

export function createDatabase(runtime: Runtime, schemas: Schemas, connection: () => unknown) {
  const { transactions, lifecycles } = runtime;

  const { types, components } = runtime.raw.model;
  const findSchema = (uid: string): Schema => {
    const schema = types.get(uid) ?? components.get(uid);
    if (!schema) throw new Error(`Metadata for "${uid}" not found`);
    return schema;
  };
  const knex = () => connection() as Knex;
  const findRows = (uid: string): object => {
    if (administrationUids.has(uid)) return runtime.administration().query(uid);
    if (!schemas.of(uid)) throw new Error(`Model ${uid} not found`);
    return runtime.query(uid);
  };
  const repositories = new Map<string, Repository>();
  const query = (uid: string): Repository =>
    repositories.getOrInsertComputed(uid, () => createRepository(findRows(uid)));
  const queryBuilder = (uid: string): object => {
    const { model } = runtime.raw;
    const schema = model.types.get(uid) ?? model.components.get(uid);
    if (!schema && !isLinkTable(model, uid)) throw new Error(`Metadata for "${uid}" not found`);
    const { createQueryBuilder } = require("../data/query-builder.ts") as typeof import("../data/query-builder.ts");
    return createQueryBuilder({
      table: schema?.table ?? uid,
      attributes: schema && new Set(schema.attributes.keys()),
      rows: schema && runtime.query(uid).withoutHooks,
      connection: knex,
      transaction: (work) => transactions.run(work),
    });
  };
  const ofRepository =
    (name: (typeof entityMethods)[number]) =>
    (uid: string, ...args: readonly unknown[]): unknown =>
      (query(uid)[name] as (...own: readonly unknown[]) => unknown)(...args);

  return {
    query,
    transaction: createTransaction(transactions, connection),
    inTransaction: () => transactions.isInside,
    lifecycles: {
      subscribe: (subscriber: unknown) => lifecycles.subscribe(subscriber),
      clear: () => lifecycles.clear(),
      disable: () => lifecycles.disable(),
      enable: () => lifecycles.enable(),
      /** `action`: such as `beforeCreate`. */
      run: (action: string, uid: string, properties: Readonly<Record<string, unknown>>): Promise<void> =>
        lifecycles.runNamed(action, findSchema(uid), properties),
    },
    metadata: createMetadata(runtime.raw.model, schemas),
    dialect: {
      client: "sqlite",
      useReturning: () => true,
      supportsUnsigned: () => false,
      usesForeignKeys: () => false,
      canAlterConstraints: () => false,
      getSqlType: (type: string) => type,
      get schemaInspector() {
        return inspector(knex(), runtime.raw.model);
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
      ...Object.fromEntries(entityMethods.map((name) => [name, ofRepository(name)])),
      getRepository: query,
      createQueryBuilder: queryBuilder,
    },
  };
}
