/** `strapi.store`: values by key, kept with the content. */
import { STORED_PREFIX } from "../../storage/core-store.ts";
import type { Runtime } from "../runtime.ts";

interface Place {
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly key?: string;
}

const nameOf = ({ type = "core", name, environment, key }: Place): string =>
  STORED_PREFIX + [type, name, environment, key].filter((part) => part !== undefined && part !== "").join("_");

export function createStore({ raw, transactions }: Pick<Runtime, "raw" | "transactions">) {
  const of = (place: Place) => {
    const at = (own: string | Place = {}): string =>
      nameOf({ ...place, ...(typeof own === "string" ? { key: own } : own) });
    return {
      get: async (own?: string | Place): Promise<unknown> => {
        const text = raw.storage.meta(at(own));
        return text === undefined ? null : (JSON.parse(text) as unknown);
      },
      set: async ({ value, ...own }: Place & { readonly value?: unknown }): Promise<void> => {
        await transactions.run(async () => raw.storage.setMeta(at(own), JSON.stringify(value ?? null)));
      },
      delete: async (own?: string | Place): Promise<void> => {
        await transactions.run(async () => raw.storage.dropMeta(at(own)));
      },
    };
  };
  return Object.assign((place: Place = {}) => of(place), of({}));
}
