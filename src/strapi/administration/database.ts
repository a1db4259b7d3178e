/**
 * The rows of Strapi's administration, for code that reads and seeds them. They are in a database in memory, which is empty after
 * each start, except for the standard roles, API tokens and the core store: tokens and settings are those of the project, and what code
 * changes about them is stored.
 * As Galley has one administrator of its own, administrators and roles that code creates sign nobody in.
 */
import { randomIds } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import { contentType } from "../../engine/schema/model.ts";
import { rawModel } from "../../engine/schema/raw-model.ts";
import { resolveModel } from "../../engine/schema/resolve.ts";
import { createLayout } from "../../engine/storage/layout.ts";
import { migrate } from "../../engine/storage/migrate.ts";
import { Storage } from "../../engine/storage/storage.ts";
import { Lifecycles } from "../data/lifecycles.ts";
import { QueryEngine, type QueryServices } from "../data/query-engine.ts";
import { QueryRows } from "../data/query-rows.ts";
import type { RawContext } from "../rows/row-hooks.ts";
import type { AdministrationDatabase, Runtime } from "../runtime.ts";
import { createStoredSettings, SETTING_COLUMNS } from "./stored-settings.ts";
import { createStoredTokens } from "./stored-tokens.ts";
import { ADMINISTRATOR_ROLE, CORE_STORE, standardRoles, storedTypes } from "./types.ts";

/** Types whose rows are stored nowhere. */
const NOT_STORED = /^(?:admin::(?!api-token)|plugin::content-releases\.|strapi::webhook)/;

type Services = Pick<Runtime, "raw" | "transactions" | "log" | "settings" | "formConfigurations" | "ended">;

/** Rows that are copies of what the project's database stores. */
interface Copies {
  readonly load: (from: Storage) => void;
  /** Called before a write. */
  readonly reserveIds?: (from: Storage) => void;
  readonly save: (to: Storage) => void;
  /** Called when a write failed: the next load copies all again. */
  readonly forget: () => void;
}

export function createAdministrationDatabase(runtime: Services): AdministrationDatabase {
  const engines = new Map<string, QueryEngine>();
  const warned = new Set<string>();
  const storage = Storage.open(":memory:");
  const schema = { types: storedTypes(), components: [] };
  const model = rawModel(resolveModel(schema, { privateAttributes: [], customFields: {} }));
  migrate(storage, createLayout(model), "en");
  const transactions = { run: <T>(work: () => Promise<T>): Promise<T> => work() };
  const lifecycles = new Lifecycles(transactions, () => undefined, runtime.log.warn);
  const raw: RawContext = {
    ...{ storage, model, clock: runtime.raw.clock, ids: randomIds, rowHooks: lifecycles },
    documents: (type, caller) => storedDocuments(raw)(type, caller),
    ...{ strictRelations: false, strictParams: false, defaultLocale: () => "en" },
  };
  /** Of the database in memory, without transactions and hooks: what code does with administrators is not part of the content. */
  const services: QueryServices = { raw, transactions, lifecycles };
  const roles = new QueryRows(raw, contentType(model, ADMINISTRATOR_ROLE));
  storage.transaction(() => {
    for (const role of standardRoles) roles.insert(role, new Map());
  });
  runtime.ended.signal.addEventListener("abort", () => storage.close(), { once: true });
  const tokens = createStoredTokens(services);
  const settings = createStoredSettings(services, runtime);
  const all: readonly Copies[] = [settings, tokens];

  function createEngine(uid: string): QueryEngine {
    const copies: Copies = uid === CORE_STORE ? settings : tokens;
    const run = async <T>(work: () => Promise<T>): Promise<T> => {
      warn(uid);
      return write([copies], work);
    };
    const engine = new QueryEngine({ ...services, transactions: { run } }, contentType(model, uid));
    return new Proxy(engine, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (params: unknown, ...more: readonly unknown[]): unknown => {
          copies.load(runtime.raw.storage);
          const own =
            uid === CORE_STORE && name !== "load" ? { select: SETTING_COLUMNS, ...(params as object) } : params;
          return member.call(target, own, ...more);
        };
      },
    });
  }

  function write<T>(copies: readonly Copies[], work: () => Promise<T>): Promise<T> {
    const { raw, transactions } = runtime;
    return transactions.run(async () => {
      const forget = (): void => {
        for (const copy of copies) copy.forget();
      };
      for (const copy of copies) copy.load(raw.storage);
      for (const copy of copies) copy.reserveIds?.(raw.storage);
      transactions.onRollback(forget);
      try {
        const result = await work();
        for (const copy of copies) copy.save(raw.storage);
        return result;
      } catch (error) {
        forget();
        throw error;
      }
    });
  }

  function warn(uid: string): void {
    if (!NOT_STORED.test(uid) || warned.has(uid)) return;
    warned.add(uid);
    runtime.log.warn(`${uid}: what code writes is kept until the server stops, since Galley has no such rows`);
  }

  async function run(isRead: boolean, work: (storage: Storage) => void): Promise<void> {
    if (!isRead) return write(all, async () => work(storage));
    for (const copies of all) copies.load(runtime.raw.storage);
    work(storage);
  }

  return { model, query: (uid) => engines.getOrInsertComputed(uid, () => createEngine(uid)), run };
}
