/** The reads of the service `upload`. Files of a private provider get signed URLs. */

import { UPLOAD_VIEW_KEY, uploadSettings } from "../../engine/access/store-defaults.ts";
import { UPLOAD_SETTINGS_KEY } from "../../engine/media/file-preparer.ts";
import { FileReader } from "../../engine/media/read.ts";
import { unrestricted } from "../../engine/query/check-query.ts";
import { paginationMeta } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { storedValue } from "../../engine/storage/core-store.ts";
import { splitBudget } from "../../lib/budgeted-params.ts";
import { toRecord, type Values } from "../../lib/is-record.ts";
import { readSetting, writeSetting } from "../administration/settings.ts";
import { placeIn, queryParams } from "../data/document-params.ts";
import type { UploadParts } from "./upload-parts.ts";

/** Null for an unknown file. */
export async function findFile(
  { runtime, service }: UploadParts,
  id: unknown,
  populate: unknown = {},
): Promise<Values | null> {
  const file = await runtime()
    .query(FILE)
    .findOne({ ...queryParams({ populate }, placeIn(runtime().context.model, FILE)), where: { id } });
  return file && ((await service("file")("signFileUrls", file)) as Values);
}

export function fileReads(parts: UploadParts) {
  const { runtime } = parts;
  const store = (key: string, value: unknown): Promise<void> => {
    const { transactions } = runtime();
    return transactions.run(async () => writeSetting(runtime(), key, value));
  };
  const signAll = async (files: readonly Values[]): Promise<unknown[]> => {
    const signed: unknown[] = [];
    for (const file of files) signed.push(await parts.service("file")("signFileUrls", file));
    return signed;
  };
  const read = (query: Params): Params => queryParams(query, placeIn(runtime().context.model, FILE));
  return {
    findOne: (id: unknown, populate?: unknown) => findFile(parts, id, populate),
    findMany: async (query: Params = {}) => signAll(await runtime().query(FILE).findMany(read(query))),
    findPage: async (query: Params = {}) => {
      const page = await runtime().query(FILE).findPage(read(query));
      return { ...page, results: await signAll(page.results) };
    },
    /** With the parameters of the REST API. */
    findAndCountPage: async (query: Params = {}) => {
      const { raw, settings } = runtime();
      const { own, budget } = splitBudget(query);
      const page = await new FileReader(raw, { ...unrestricted, budget }).findPage(own, settings.rest);
      const { start: offset, limit } = page.pagination;
      // hooks see a query of their own
      const { pagination: _, ...rest } = query;
      const found = parts.listens("findMany")
        ? await runtime()
            .query(FILE)
            .findMany({ ...read(rest), offset, limit })
        : page.documents;
      const results = await signAll(found);
      return { results, pagination: paginationMeta(page.pagination, page.total) };
    },
    /** Of the media library. */
    getConfiguration: async () => readSetting(runtime(), UPLOAD_VIEW_KEY),
    setConfiguration: (value: unknown) => store(UPLOAD_VIEW_KEY, value),
    setSettings: (value: unknown) => store(UPLOAD_SETTINGS_KEY, value),
    getSettings: async () => ({
      ...uploadSettings,
      ...toRecord(storedValue(runtime().raw.storage, UPLOAD_SETTINGS_KEY)),
    }),
  };
}
