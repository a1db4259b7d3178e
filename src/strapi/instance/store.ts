/** `strapi.store`: values by key, stored in the database. Settings of plugins have the same effects as in Strapi. */

import { dropSetting, readSetting, type SettingSource, writeSetting } from "../administration/settings.ts";
import { CORE_STORE } from "../administration/types.ts";
import type { Runtime } from "../runtime.ts";

interface StoreScope {
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly tag?: string;
  readonly key?: string;
}

type Services = SettingSource & Pick<Runtime, "transactions" | "administration">;

const buildKey = ({ type, name, key }: StoreScope): string => `${type}${name ? `_${name}` : ""}_${key}`;

/** Galley's keys contain environment and tag, which Strapi stores beside them. */
const buildStoredKey = (scope: StoreScope): string =>
  [buildKey(scope), scope.environment, scope.tag].filter(Boolean).join("_");

/** A setting as a row of Strapi's core store; null if there is none. */
async function findRow({ administration }: Services, scope: StoreScope): Promise<object | null> {
  const { findOne } = administration().query(CORE_STORE) as {
    readonly findOne: (params: object) => Promise<object | null>;
  };
  const row = await findOne({ where: { key: buildStoredKey(scope) } });
  return row && { ...row, key: buildKey(scope), environment: scope.environment || null, tag: scope.tag || null };
}

/** As in Strapi, only reads have a default type: what is stored without one has "undefined" in its key. */
export function createStore(services: Services) {
  const { transactions } = services;
  const store = {
    get: async (params: StoreScope): Promise<unknown> => {
      const { key, type = "core", ...scope } = params;
      return readSetting(services, buildStoredKey({ ...scope, ...(key === undefined ? {} : { key }), type })) ?? null;
    },
    /** Resolves with the row. */
    set: (params: StoreScope & { readonly value?: unknown }): Promise<object | null> =>
      transactions.run(async () => {
        const { key, value, ...others } = params;
        const scope = key === undefined ? others : { ...others, key };
        writeSetting(services, buildStoredKey(scope), value);
        return findRow(services, scope);
      }),
    /** Resolves with the row as it was. */
    delete: (scope: StoreScope): Promise<object | null> =>
      transactions.run(async () => {
        const row = await findRow(services, scope);
        dropSetting(services, buildStoredKey(scope));
        return row;
      }),
  };
  const scoped = (defaults?: StoreScope) => ({
    get: (scope?: StoreScope) => store.get({ ...defaults, ...scope }),
    set: (scope?: StoreScope & { readonly value?: unknown }) => store.set({ ...defaults, ...scope }),
    delete: (scope?: StoreScope) => store.delete({ ...defaults, ...scope }),
  });
  return Object.assign(scoped, store);
}
