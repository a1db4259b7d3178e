/** Creates the context of a project's document service. */
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext, WriteReports } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import type { GetDocuments } from "../../engine/documents/documents.ts";
import type { FileServices } from "../../engine/media/file-services.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { perSettings } from "../../engine/storage/connection.ts";
import { DEFAULT_LOCALE } from "../../engine/storage/core-store.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { ProjectWebhooks } from "./project-webhooks.ts";

/** What the project's code puts in place of the server's own services, once it runs. */
export interface Interception {
  documents?: GetDocuments;
  files?: () => FileServices | undefined;
  reports?: WriteReports;
}

interface ContextParts extends Pick<DocumentsContext, "storage" | "model" | "clock" | "ids"> {
  readonly settings: Settings;
  readonly transactions: AsyncTransactions | undefined;
  readonly webhooks: ProjectWebhooks;
  readonly interception: Interception;
}

export function createContext(parts: ContextParts): DocumentsContext {
  const { storage: main, model, clock, ids, settings, transactions, webhooks, interception } = parts;
  const readLocale = perSettings((storage: Storage) => storage.meta(DEFAULT_LOCALE) ?? "en");
  const storages = transactions
    ? {
        get storage() {
          return transactions.storage;
        },
        get reports() {
          return interception.reports;
        },
      }
    : { storage: main };
  const context = Object.defineProperties({}, Object.getOwnPropertyDescriptors(storages)) as typeof storages;
  const created: DocumentsContext = Object.assign(context, {
    model,
    clock,
    ids,
    documents: (type, caller) => (interception.documents ?? stored)(type, caller),
    strictRelations: settings.strictRelations,
    strictParams: settings.strictParams,
    defaultLocale: () => readLocale(main),
  } satisfies Omit<DocumentsContext, "storage">);
  const stored = storedDocuments(created);
  return transactions ? created : Object.assign(created, { reports: webhooks.createReports(created) });
}
