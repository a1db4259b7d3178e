/** `service("providers-registry")` of users-permissions: sign-in providers by name. Code adds its own before `bootstrap`. */

import { GRANT_KEY, signInProviders } from "../../engine/access/store-defaults.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { isRecord, merge } from "../../lib/is-record.ts";
import type { AuthCallback, Profile, ProfileRequest } from "./profiles.ts";

type Fields = Readonly<Record<string, unknown>>;

interface ProviderEntry {
  readonly enabled?: unknown;
  readonly icon?: unknown;
  /** Key, secret, scope, and the endpoints of a provider that is not built in. */
  readonly grantConfig?: Fields;
  readonly authCallback?: AuthCallback;
}

const profiles = () => (require("./profiles.ts") as typeof import("./profiles.ts")).profiles;

const builtinEntries = (settings: Settings): Record<string, ProviderEntry> =>
  Object.fromEntries(
    Object.entries(signInProviders(settings)).map(([name, { enabled, icon, ...grantConfig }]) => {
      const authCallback = profiles()[name];
      return [name, { enabled, icon, grantConfig, ...(authCallback ? { authCallback } : {}) }];
    }),
  );

export class ProviderRegistry {
  readonly #settings: Settings;
  #created: Record<string, ProviderEntry> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get #entries(): Record<string, ProviderEntry> {
    this.#created ??= builtinEntries(this.#settings);
    return this.#created;
  }

  readonly getAll = (): Record<string, ProviderEntry> => this.#entries;
  readonly get = (name: string): ProviderEntry | undefined => this.#entries[name];

  readonly add = (name: string, entry: ProviderEntry): void => {
    this.#entries[name] = entry;
  };

  readonly remove = (name: string): void => {
    delete this.#entries[name];
  };

  /** Resolves with the user's profile. Throws for an unknown provider, and what the provider's function throws. */
  readonly run = async ({ provider, ...request }: ProfileRequest & { readonly provider: string }): Promise<Profile> => {
    const entry = Object.hasOwn(this.#entries, provider) ? this.#entries[provider] : undefined;
    if (typeof entry?.authCallback !== "function") throw new Error("Unknown auth provider");
    return entry.authCallback(request);
  };

  /** Stores the configuration of the registry, changed by what is stored, unless neither code nor settings have changed it. */
  async store(raw: { readonly storage: Storage }, transactions: AsyncTransactions): Promise<void> {
    const config = this.#configToStore(raw.storage);
    if (config) await transactions.run(async () => setStored(raw.storage, GRANT_KEY, config));
  }

  #configToStore(storage: Storage): Fields | undefined {
    const stored = storedValue(storage, GRANT_KEY);
    if (this.#created === undefined && !isRecord(stored)) return undefined;
    const config = Object.fromEntries(
      Object.entries(this.#entries).map(([name, { icon, enabled, grantConfig }]) => {
        const own = { icon, enabled, ...grantConfig };
        const previous = isRecord(stored) ? stored[name] : undefined;
        return [name, isRecord(previous) ? merge(own, previous) : own];
      }),
    );
    return Bun.deepEquals(config, stored) ? undefined : config;
  }
}
