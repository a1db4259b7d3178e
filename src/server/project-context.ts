/** Creates the context of a project's document service. */
import { DEFAULT_LOCALE } from "../engine/access/default-locale.ts";
import type { Settings } from "../engine/config/settings.ts";
import { Clock, type DocumentsContext } from "../engine/documents/context.ts";
import { randomIds } from "../engine/documents/ids.ts";
import type { DocumentCodeSlot } from "../engine/documents/own-code.ts";
import type { Reproducible } from "../engine/documents/reproducible.ts";
import type { Model } from "../engine/schema/model.ts";
import type { AsyncTransactions } from "../engine/storage/async-transactions.ts";
import type { Storage } from "../engine/storage/storage.ts";
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
