/** The tools for assets of the media library. */
import { z } from "zod";
import { describeAdministrator } from "../../../admin/administrator.ts";
import type { AdminServices } from "../../../admin/services.ts";
import { listFiles, readFile, signed } from "../../../admin/upload/files.ts";
import type { Document } from "../../../engine/query/select.ts";
import { ApiError, notFound, validationError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { type McpTool, typedTool } from "../tool.ts";
import { type Advice, assetId, folderId, ids, orRoot, parent, preview, shownText, strict, time } from "./schemas.ts";

const WITH_FOLDER = { populate: { folder: true } };

const NO_FOLDER =
  "Folder changes are not supported by media_update_asset. Use media_move_assets to move an asset between folders.";
const UPDATES_NOTHING =
  "Provide at least one field to update: name, alternativeText or caption. To move an asset between folders use media_move_assets; url, mime, size and the file contents are owned by the upload provider and cannot be edited over MCP.";
const NO_DESTINATION =
  "The destination folder does not exist. Use media_list_folders to discover valid folder ids, or pass null for the media library root.";
const NOT_MOVED =
  "No media asset has this id, so nothing was moved for it. If this is a folder id, use media_move_folder — and note that a folder id only fails like this when no asset happens to share the number; when one does, media_move_assets moves that asset instead. Otherwise the asset may already be deleted — use media_list_assets to discover valid asset ids.";
const NOT_DELETED =
  "No media asset has this id, so nothing was deleted for it. If this is a folder id, use media_delete_folder — and note that a folder id only fails like this when no asset happens to share the number; when one does, media_delete_assets deletes that asset instead. Otherwise the asset may already be deleted; use media_list_assets to discover valid asset ids.";
const moveFailed = (cause: string): string =>
  `Moving this asset failed: ${cause}. This is not a problem with the id itself — the asset exists and this token may edit it — so retrying may succeed. Any assets listed under \`moved\` were still moved.`;
const deletionFailed = (cause: string): string =>
  `Deleting this asset failed: ${cause}. The asset may be partially removed — re-read it with media_get_asset before retrying. Any assets listed under \`deleted\` are gone for good.`;

const bulkAdvice = (tool: string, does: string, folderTool: string, what: string): Advice => [
  [
    ["id", "fileIds"],
    `${tool} ${does} assets in bulk: pass \`ids\` as an array of numeric asset ids, even for a single asset.`,
  ],
  [["folderIds"], `${tool} ${does} assets only. Use ${folderTool} to ${what} a folder.`],
];

const SORTS = ["createdAt:DESC", "createdAt:ASC", "name:ASC", "name:DESC", "updatedAt:DESC", "updatedAt:ASC"] as const;

const size = z.number().nullable().optional();
const asset = z.object({
  id: z.number(),
  name: z.string(),
  alternativeText: shownText,
  caption: shownText,
  url: z.string(),
  mime: z.string(),
  size: z.number().describe("Kilobytes"),
  width: size,
  height: size,
  ext: shownText,
  folder: z.object({ id: z.number(), name: z.string() }).nullable().optional(),
  createdAt: time,
  updatedAt: time,
});
const failures = z.array(z.object({ id: z.number(), reason: z.string() }));

const optional = (value: unknown): string | null => (value === undefined || value === null ? null : String(value));
const dimension = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** What clients see of an asset. */
export function shownAsset(file: Document): Document {
  const { id, name, alternativeText, caption, url, mime, size, width, height, ext, folder, createdAt, updatedAt } =
    file;
  return {
    id,
    name: String(name ?? ""),
    alternativeText: optional(alternativeText),
    caption: optional(caption),
    url: String(url ?? ""),
    mime: String(mime ?? ""),
    size: Number(size ?? 0),
    width: dimension(width),
    height: dimension(height),
    ext: optional(ext),
    folder: isRecord(folder) ? { id: folder.id, name: folder.name } : null,
    createdAt: optional(createdAt),
    updatedAt: optional(updatedAt),
  };
}

const listInput = z.object({
  folderId: folderId.optional().nullable().describe("Assets of this folder; null: of the root; absent: all"),
  mime: z.string().min(1).optional().describe("A type such as image/png, or the part before the slash"),
  name: z.string().min(1).optional().describe("A part of the name, case-insensitive"),
  page: z.number().int().min(1).optional(),
  pageSize: z.number().int().min(1).max(100).optional(),
  sort: z.enum(SORTS).optional(),
});

function assetFilters({ folderId: folder, mime, name }: z.infer<typeof listInput>): Document {
  return {
    ...(folder === undefined ? {} : { folder: folder === null ? { $null: true } : { id: folder } }),
    ...(mime === undefined ? {} : { mime: mime.includes("/") ? { $eqi: mime } : { $startsWithi: `${mime}/` } }),
    ...(name === undefined ? {} : { name: { $containsi: name } }),
  };
}

/** Runs `work` for each id. Whatever fails is reported beside what was done, since that cannot be repeated. */
async function forEach(
  ids: readonly number[],
  work: (id: number) => Promise<Document>,
  missing: string,
  describe: (cause: string) => string,
) {
  const done: Document[] = [];
  const failed: z.infer<typeof failures> = [];
  for (const id of new Set(ids)) {
    try {
      done.push(await work(id));
    } catch (error) {
      const isMissing = error instanceof ApiError && error.kind === "NotFoundError";
      failed.push({
        id,
        reason: isMissing ? missing : describe(error instanceof Error ? error.message : String(error)),
      });
    }
  }
  return { done, failed };
}

async function readAsset({ context, media }: AdminServices, id: number): Promise<Document> {
  try {
    return shownAsset(await signed(media, readFile(context, id, WITH_FOLDER)));
  } catch (error) {
    throw error instanceof ApiError && error.kind === "NotFoundError" ? notFound("Media asset not found.") : error;
  }
}

export const assetTools = (services: AdminServices): McpTool[] => [
  ...singleAssetTools(services),
  ...bulkAssetTools(services),
];

function singleAssetTools(services: AdminServices): McpTool[] {
  const { context, media } = services;
  return [
    typedTool({
      name: "media_list_assets",
      title: "Media: list assets",
      description: "Lists assets of the media library, by pages. Assets have numeric ids.",
      input: listInput,
      output: z.object({
        results: z.array(asset),
        pagination: z.object({ page: z.number(), pageSize: z.number(), pageCount: z.number(), total: z.number() }),
      }),
      run: async (args) => {
        const { page = 1, pageSize = 25, sort = "createdAt:DESC" } = args;
        const params = { filters: assetFilters(args), sort, page, pageSize };
        const { results, pagination } = await listFiles(context, media, params);
        return { results: results.map(shownAsset), pagination };
      },
    }),
    typedTool({
      name: "media_get_asset",
      title: "Media: get asset",
      description: "Reads an asset by its numeric id.",
      input: z.object({ id: assetId }),
      output: z.object({ data: asset.nullable() }),
      run: async ({ id }) => ({ data: await readAsset(services, id) }),
    }),
    typedTool({
      name: "media_update_asset",
      title: "Media: update asset metadata",
      description: "Changes the name, the alternative text or the caption of an asset. null clears a text.",
      input: strict(
        { id: assetId, name: z.string().min(1).optional(), alternativeText: shownText, caption: shownText },
        [[["folder", "folderId", "folderPath"], NO_FOLDER]],
      ),
      output: z.object({ data: asset }),
      run: async ({ id, ...texts }) => {
        const given = Object.entries(texts).filter(([, value]) => value !== undefined);
        if (given.length === 0) throw validationError(UPDATES_NOTHING);
        await readAsset(services, id);
        // null would keep a text
        await media.update(id, Object.fromEntries(given.map(([name, value]) => [name, value ?? ""])), () =>
          describeAdministrator(context),
        );
        return { data: await readAsset(services, id) };
      },
    }),
  ];
}

function bulkAssetTools(services: AdminServices): McpTool[] {
  const { context, media } = services;
  return [
    typedTool({
      name: "media_move_assets",
      title: "Media: move assets between folders",
      description:
        "Moves assets to a folder, or to the root with null. Ids are those of assets: folders are numbered apart, so that the id of a folder would move another file. What cannot be moved is listed in failed, and the others are moved.",
      input: strict(
        { ids: ids(assetId), folder: orRoot },
        bulkAdvice("media_move_assets", "moves", "media_move_folder", "move"),
      ),
      output: z.object({ destinationFolder: parent, moved: z.array(asset), failed: failures }),
      run: async ({ ids, folder }) => {
        const destination = folder === null ? null : media.folders.find(folder);
        if (destination === undefined) throw validationError(NO_DESTINATION);
        const moveOne = async (id: number): Promise<Document> => {
          await media.update(id, { folder }, () => describeAdministrator(context));
          return readAsset(services, id);
        };
        const { done, failed } = await forEach(ids, moveOne, NOT_MOVED, moveFailed);
        const destinationFolder = destination && { id: destination.id, name: destination.name };
        return { destinationFolder, moved: done, failed };
      },
    }),
    typedTool({
      name: "media_delete_assets",
      title: "Media: delete assets (destructive)",
      description:
        "Deletes assets and their files for good, whether or not documents use them. Shows what would be deleted unless dryRun is false: ask the user before that. Ids are those of assets, not of folders.",
      input: strict(
        { ids: ids(assetId), dryRun: preview },
        bulkAdvice("media_delete_assets", "deletes", "media_delete_folder", "delete"),
      ),
      output: z.object({
        dryRun: z.boolean(),
        deleted: z.array(asset),
        failed: failures,
        totalFileNumber: z.number(),
      }),
      run: async ({ ids, dryRun = true }) => {
        const removeOne = async (id: number): Promise<Document> => {
          const file = await readAsset(services, id);
          if (!dryRun) await media.delete(id);
          return file;
        };
        const { done, failed } = await forEach(ids, removeOne, NOT_DELETED, deletionFailed);
        return { dryRun, deleted: done, failed, totalFileNumber: done.length };
      },
    }),
  ];
}
