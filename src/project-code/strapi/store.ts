/** `strapi.store`: values by key, stored in the database. Settings of plugins have the same effects as in the reference. */
import type { Runtime } from "../runtime.ts";
import { dropSetting, readSetting, type SettingSource, writeSetting } from "./settings.ts";

interface StoreScope {
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly key?: string;
}

const keyOf = ({ type = "core", name, environment, key }: StoreScope): string =>
  [type, name, environment, key].filter((part) => part !== undefined && part !== "").join("_");

export function createStore(services: SettingSource & Pick<Runtime, "transactions">) {
  const { transactions } = services;
  const of = (scope: StoreScope) => {
    const resolveKey = (own: string | StoreScope = {}): string =>
      keyOf({ ...scope, ...(typeof own === "string" ? { key: own } : own) });
    return {
      get: async (own?: string | StoreScope): Promise<unknown> => readSetting(services, resolveKey(own)) ?? null,
      set: async ({ value, ...own }: StoreScope & { readonly value?: unknown }): Promise<void> => {
        await transactions.run(async () => writeSetting(services, resolveKey(own), value));
      },
      delete: async (own?: string | StoreScope): Promise<void> => {
        await transactions.run(async () => dropSetting(services, resolveKey(own)));
      },
    };
  };
  return Object.assign((scope: StoreScope = {}) => of(scope), of({}));
}
