/** Creates the context of a project's document service. */
import { DEFAULT_LOCALE } from "../access/default-locale.ts";
import type { Settings } from "../config/settings.ts";
import { Clock, type DocumentsContext } from "../documents/context.ts";
import { randomIds } from "../documents/ids.ts";
import type { DocumentCodeSlot } from "../documents/own-code.ts";
import type { Reproducible } from "../documents/reproducible.ts";
import type { Model } from "../schema/model.ts";
import type { AsyncTransactions } from "../storage/async-transactions.ts";
import type { Storage } from "../storage/storage.ts";
import type { ProjectWebhooks } from "./project-webhooks.ts";

export function createContext(
  main: Storage,
  model: Model,
  settings: Settings,
  transactions: AsyncTransactions | undefined,
  reproducible: Reproducible | undefined,
  webhooks: ProjectWebhooks,
): DocumentsContext {
  let locale: { version: string; code: string } | undefined;
  const code: DocumentCodeSlot = { current: undefined };
  const storages = transactions
    ? {
        get storage() {
          return transactions.storage;
        },
        code,
      }
    : { storage: main };
  const context = Object.defineProperties({}, Object.getOwnPropertyDescriptors(storages)) as typeof storages;
  const created = Object.assign(context, {
    model,
    clock: reproducible?.clock ?? new Clock(),
    ids: reproducible?.ids ?? randomIds,
    strictRelations: settings.strictRelations,
    strictParams: settings.strictParams,
    defaultLocale: () => {
      const version = main.version();
      if (locale?.version !== version) locale = { version, code: main.meta(DEFAULT_LOCALE) ?? "en" };
      return locale.code;
    },
  });
  return transactions ? created : Object.assign(created, { reports: webhooks.reportsOf(created) });
}
