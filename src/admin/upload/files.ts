/** Files with the attributes that the Content API hides. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { readFileInfo } from "../../engine/media/file-info.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { readOffsets } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import { countRows, findRows, prepareRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { notFound } from "../../lib/errors.ts";
import { checkBody, hasItems, type Shape } from "../../lib/shape.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { describeAdministrator, withCreators, withShownCreators } from "../administrator.ts";
import { listOf, objectBody, objectOf, requiredBody, requiredNumber, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { createPages, type Pages, readPages } from "../content-manager/list.ts";
import type { AdminServices } from "../services.ts";
import { readWholeQuery } from "../whole-model.ts";
import { readMove, readSelection } from "./folder-input.ts";
import { readFolders } from "./folders.ts";

const ALL = { locales: undefined };
const CREATOR = { fields: ["firstname", "lastname", "username", "email", "isActive"] };
const WITH_FOLDER = { populate: { folder: true } };
const WITH_CREATOR = { populate: { folder: true, createdBy: CREATOR } };

/** Populates only the creator, as in Strapi. */
const withCreator = (file: Document): Document => {
  const { updatedBy: _, ...shown } = withCreators(file);
  return shown;
};

const withoutLocale = (row: Document): Document => {
  const { folder, ...file } = row;
  if (folder === undefined) return { ...file, locale: null };
  return { ...file, locale: null, folder: folder === null ? null : { ...(folder as Document), locale: null } };
};

/** Adds `isUrlSigned`: only files of other services have signed URLs. */
export const signed = ({ services }: MediaService, file: Document): MaybePromise<Document> =>
  services?.sign(file) ?? { ...file, isUrlSigned: false };

/** In the order of the ids; unknown ones are skipped. */
export function readFiles(
  { storage, model }: DocumentsContext,
  ids: readonly number[],
  params: Params = {},
): Document[] {
  const query = readWholeQuery(model, FILE, params);
  const rows = findRows({ storage, model, status: "published" }, query, { ...ALL, ids });
  const byId = new Map(rows.map((row) => [row.id, withoutLocale(row)]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** A single file. Throws a NotFoundError "Entity not found". */
export function readFile(context: DocumentsContext, id: unknown, params: Params = {}): Document {
  const row = rowId(id);
  const [found] = row === undefined ? [] : readFiles(context, [row], params);
  if (!found) throw notFound("Entity not found");
  return found;
}

interface FileList {
  readonly results: readonly Document[];
  readonly pagination: Pages;
}

/** Throws a PaginationError for invalid page parameters. Returns a promise for long lists. */
export function listFiles(services: DocumentsContext, media: MediaService, params: Params): MaybePromise<FileList> {
  const { storage, model } = services;
  readOffsets(params);
  const { page: pageParam, pageSize: sizeParam, start: _start, limit: _limit, ...rest } = params;
  // as in Strapi, which counts in pages only
  const { page, pageSize, start } = readPages({ page: pageParam, pageSize: sizeParam });
  const query = readWholeQuery(model, FILE, { ...WITH_FOLDER, ...rest });
  const reading = { storage, model, status: "published" } as const;
  const pageQuery = { ...query, start, limit: pageSize };
  return whenReady(prepareRows(reading, pageQuery, ALL, true), (context) => {
    const rows = findRows(context, pageQuery, ALL, { counted: true });
    const pagination = createPages(page, pageSize, countRows(context, query, ALL));
    const files = rows.map((row) => signed(media, withShownCreators(rest.fields ? row : withoutLocale(row))));
    const isReady = files.every((file): file is Document => !(file instanceof Promise));
    return isReady ? { results: files, pagination } : Promise.all(files).then((results) => ({ results, pagination }));
  });
}

const nullableText: Shape = { ...text, nullable: true };

/** Throws a ValidationError with all problems. */
function readUpdates({ media }: AdminServices, input: unknown) {
  const item = objectOf(
    {
      id: requiredNumber,
      fileInfo: objectOf(
        { name: nullableText, alternativeText: nullableText, caption: nullableText },
        { required: true },
      ),
    },
    { required: true },
  );
  checkBody(objectOf({ updates: listOf(item, { required: true, tests: [hasItems] }) }), input);
  const { updates: list } = input as { updates: { id: number; fileInfo: unknown }[] };
  const exists = (id: number) => media.folders.find(id) !== undefined;
  return list.map(({ id, fileInfo }, index) => ({
    id,
    info: readFileInfo(fileInfo, exists, `updates[${index}].fileInfo`),
  }));
}

export function fileRoutes(services: AdminServices): AdminRoute[] {
  const { context, media } = services;
  const user = () => describeAdministrator(context);
  return [
    route("GET", "/upload/files", ({ query }) => whenReady(listFiles(context, media, query()), ok)),
    route("GET", "/upload/files/:id", ({ params }) =>
      whenReady(signed(media, readFile(context, params.id, WITH_CREATOR)), (file) => ok(withCreator(file))),
    ),
    route("DELETE", "/upload/files/:id", async ({ params }) => {
      const file = await signed(media, readFile(context, params.id, WITH_CREATOR));
      await media.delete(params.id);
      return ok(withCreator(file));
    }),
    route("PUT", "/upload/files/:id", async ({ params, body }) => {
      const { fileInfo } = await body();
      readFile(context, params.id);
      await media.update(
        params.id,
        readFileInfo(fileInfo, (id) => media.folders.find(id) !== undefined),
        user,
      );
      return ok(await signed(media, readFile(context, params.id)));
    }),
    route("POST", "/upload/actions/bulk-update", async (call) => {
      const updates = readUpdates(services, await objectBody(call));
      await media.updateMany(updates, user);
      return ok(await Promise.all(updates.map(({ id }) => signed(media, readFile(context, id)))));
    }),
    route("POST", "/upload/actions/bulk-move", async (call) => {
      const { fileIds, folderIds, destination } = readMove(media.folders, await requiredBody(call));
      await media.move(fileIds, folderIds, destination);
      return ok({ data: { files: readFiles(context, fileIds), folders: readFolders(context, {}, folderIds) } });
    }),
    route("POST", "/upload/actions/bulk-delete", async (call) => {
      const { fileIds, folderIds } = readSelection(await requiredBody(call));
      const files = readFiles(context, fileIds);
      const folders = readFolders(context, {}, folderIds);
      await media.deleteMany(fileIds, folderIds);
      return ok({ data: { files, folders } });
    }),
  ];
}
