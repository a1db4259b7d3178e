/** The data layers of a project's code: documents and queries on the raw model, with lifecycles and events. */
import type { DocumentsContext } from "../engine/documents/context.ts";
import { storedDocuments } from "../engine/documents/document-service.ts";
import { drive } from "../engine/documents/steps.ts";
import { contentType } from "../engine/schema/model.ts";
import { rawModel } from "../engine/schema/raw-model.ts";
import type { AsyncTransactions } from "../engine/storage/async-transactions.ts";
import { EntryEvents, type EventTarget } from "../engine/webhooks/entry-events.ts";
import { StrapiDocuments } from "./data/documents.ts";
import { createEntityValidator } from "./data/entity-validator.ts";
import { Lifecycles } from "./data/lifecycles.ts";
import { QueryEngine } from "./data/query-engine.ts";
import { createSchemas } from "./data/schemas.ts";
import { createMetadata } from "./instance/metadata.ts";
import type { Limit } from "./lib/deadlines.ts";
import type { Log } from "./lib/log.ts";
import { HookedStore } from "./rows/hooked-store.ts";
import type { RawContext, RowHooks } from "./rows/row-hooks.ts";
import type { CodeProject } from "./runtime.ts";
import type { Uploads } from "./uploads/uploads.ts";

/** The same database and settings with a model without private attributes, and with hooks for each row that is written. */
function rawContext(context: DocumentsContext, transactions: AsyncTransactions, rowHooks: RowHooks): RawContext {
  const { clock, ids, strictRelations, strictParams, defaultLocale } = context;
  const raw: RawContext = {
    get storage() {
      return transactions.storage;
    },
    // code passes on search terms of clients, which must not match private attributes
    model: rawModel(context.model, { searchesPrivate: false }),
    clock,
    ids,
    strictRelations,
    strictParams,
    defaultLocale,
    rowHooks,
    rows: {
      of: (type) => new HookedStore(raw, type),
      run: (work) => rowHooks.transaction(() => drive(work())),
    },
    documents: (type, caller) => documents(type, caller),
  };
  const documents = storedDocuments(raw);
  return raw;
}

export type DataLayers = ReturnType<typeof createDataLayers>;

interface Services {
  readonly hub: EventTarget;
  readonly log: Log;
  /** Of hooks of the document service. */
  readonly limit: Limit;
  readonly uploads: () => Uploads;
}

export function createDataLayers({ context, transactions }: CodeProject, { hub, log, limit, uploads }: Services) {
  const { model } = context;
  const schemas = createSchemas(model);
  const entityValidator = createEntityValidator(() => raw, schemas.of);
  const metadata = createMetadata(model, schemas);
  const eventModels = new Map<string, object>();
  const lifecycles = new Lifecycles(
    transactions,
    (uid) => eventModels.getOrInsertComputed(uid, metadata.get),
    log.warn,
    () => entityValidator.replacement,
  );
  const raw = rawContext(context, transactions, lifecycles);
  const services = { raw, transactions, lifecycles };
  const engines = new Map<string, QueryEngine>();
  const query = (uid: string): QueryEngine =>
    engines.getOrInsertComputed(
      uid,
      () => new QueryEngine(services, raw.model.components.get(uid) ?? contentType(raw.model, uid)),
    );
  const events = new EntryEvents({
    hub,
    onCommit: (done) => transactions.onCommit(done),
    model,
    read: ({ uid }, id, populate) => query(uid).findOne({ where: { id }, populate }),
    findDraft: ({ uid, localized }, { documentId, locale }) => {
      const where = { documentId, publishedAt: null, ...(localized ? { locale } : {}) };
      return query(uid).findOne({ where, select: ["id"] });
    },
    onError: log.error,
  });
  const documents = new StrapiDocuments({
    ...services,
    context,
    findSchema: schemas.of,
    events,
    limit,
    files: () => uploads().files,
  });
  return { schemas, entityValidator, lifecycles, raw, query, documents };
}
