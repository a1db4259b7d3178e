/** The schemas of the media tools: assets and folders have numeric ids. */
import { z } from "zod";

export const SORTS = [
  "createdAt:DESC",
  "createdAt:ASC",
  "name:ASC",
  "name:DESC",
  "updatedAt:DESC",
  "updatedAt:ASC",
] as const;
const MAX_IDS = 100;

const id = z.number().int().min(1);
const assetId = id.describe("Id of an asset");
const folderId = id.describe("Id of a folder");
const ids = (item: typeof id) => z.array(item).min(1).max(MAX_IDS);
const orRoot = folderId.nullable().describe("Id of a folder; null is the root of the library");
const preview = z.boolean().optional().describe("Only show what would be deleted; true by default");
const shownText = z.string().nullable().optional();

type Advice = readonly (readonly [keys: readonly string[], message: string])[];

/** Refuses unknown keys; those of another tool with a message that names it. */
const strict = <Shape extends z.ZodRawShape>(shape: Shape, advice: Advice = []) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const unknown = issue.keys as readonly string[];
      return advice.find(([keys]) => keys.some((key) => unknown.includes(key)))?.[1];
    },
  });

const bulkAdvice = (tool: string, does: string, folderTool: string, what: string): Advice => [
  [
    ["id", "fileIds"],
    `${tool} ${does} assets in bulk: pass \`ids\` as an array of numeric asset ids, even for a single asset.`,
  ],
  [["folderIds"], `${tool} ${does} assets only. Use ${folderTool} to ${what} a folder.`],
];

const folderName = z
  .string()
  .min(1)
  .regex(/^[^/]+$/, "Folder name cannot contain slashes.")
  .regex(/^(?! ).+(?<! )$/, "Folder name cannot start or end with a whitespace.")
  .describe("Unique among the folders beside it");

export const inputs = {
  listAssets: z.object({
    folderId: folderId.optional().nullable().describe("Assets of this folder; null: of the root; absent: all"),
    mime: z.string().min(1).optional().describe("A type such as image/png, or the part before the slash"),
    name: z.string().min(1).optional().describe("A part of the name, case-insensitive"),
    page: z.number().int().min(1).optional(),
    pageSize: z.number().int().min(1).max(100).optional(),
    sort: z.enum(SORTS).optional(),
  }),
  getAsset: z.object({ id: assetId }),
  updateAsset: strict(
    { id: assetId, name: z.string().min(1).optional(), alternativeText: shownText, caption: shownText },
    [
      [
        ["folder", "folderId", "folderPath"],
        "Folder changes are not supported by media_update_asset. Use media_move_assets to move an asset between folders.",
      ],
    ],
  ),
  moveAssets: strict(
    { ids: ids(assetId), folder: orRoot },
    bulkAdvice("media_move_assets", "moves", "media_move_folder", "move"),
  ),
  deleteAssets: strict(
    { ids: ids(assetId), dryRun: preview },
    bulkAdvice("media_delete_assets", "deletes", "media_delete_folder", "delete"),
  ),
  createFolder: strict({ name: folderName, parent: orRoot.optional() }),
  renameFolder: strict({ id: folderId, name: folderName }, [
    [["parent"], "media_rename_folder only changes a folder name. Use media_move_folder to change a folder location."],
  ]),
  moveFolder: strict({ id: folderId, parent: orRoot }, [
    [["name"], "media_move_folder only changes a folder location. Use media_rename_folder to change a folder name."],
  ]),
  deleteFolder: strict({ ids: ids(folderId), dryRun: preview }),
};

const place = z.object({ id: z.number(), name: z.string() }).nullable().optional();
const time = z.string().nullable().optional();
const dimension = z.number().nullable().optional();

const asset = z.object({
  id: z.number(),
  name: z.string(),
  alternativeText: shownText,
  caption: shownText,
  url: z.string(),
  mime: z.string(),
  size: z.number().describe("Kilobytes"),
  width: dimension,
  height: dimension,
  ext: shownText,
  folder: place,
  createdAt: time,
  updatedAt: time,
});
const parent = z.object({ id: z.number(), name: z.string().optional() }).nullable();
const folder = z.object({
  id: z.number(),
  name: z.string(),
  parent: parent.optional(),
  createdAt: time,
  updatedAt: time,
});
const node: z.ZodType = z.lazy(() => z.object({ id: z.number(), name: z.string(), children: z.array(node) }));
const failed = z.array(z.object({ id: z.number(), reason: z.string() }));

export const outputs = {
  assets: z.object({
    results: z.array(asset),
    pagination: z.object({ page: z.number(), pageSize: z.number(), pageCount: z.number(), total: z.number() }),
  }),
  foundAsset: z.object({ data: asset.nullable() }),
  asset: z.object({ data: asset }),
  folders: z.object({ data: z.array(node) }),
  folder: z.object({ data: folder }),
  moved: z.object({ destinationFolder: parent, moved: z.array(asset), failed }),
  deletedAssets: z.object({ dryRun: z.boolean(), deleted: z.array(asset), failed, totalFileNumber: z.number() }),
  deletedFolders: z.object({
    dryRun: z.boolean(),
    folders: z.array(folder),
    totalFolderNumber: z.number(),
    totalFileNumber: z.number(),
  }),
};
