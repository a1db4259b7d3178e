/** The tools for folders of the media library. */
import { z } from "zod";
import { setAuthor } from "../../../admin/administrator.ts";
import type { AdminServices } from "../../../admin/services.ts";
import { readFolders } from "../../../admin/upload/folders.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { folderStructure } from "../../../engine/media/folder-structure.ts";
import { type FolderRow, isBelow } from "../../../engine/media/folders.ts";
import type { MediaService } from "../../../engine/media/media-service.ts";
import type { Document } from "../../../engine/query/select.ts";
import { FOLDER } from "../../../engine/schema/builtin/index.ts";
import { notFound, validationError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { type McpTool, typedTool } from "../tool.ts";
import { folderId, ids, orRoot, parent, preview, strict, time } from "./schemas.ts";

const NAME_TAKEN =
  "A folder with this name already exists in the same parent folder. Folder names must be unique among siblings.";
const NO_PARENT =
  "The parent folder does not exist. Use media_list_folders to discover valid folder ids, or pass null for the media library root.";
const INTO_ITSELF = "A folder cannot be moved into itself or into one of its own descendants.";
const ONLY_NAME = "media_rename_folder only changes a folder name. Use media_move_folder to change a folder location.";
const ONLY_LOCATION =
  "media_move_folder only changes a folder location. Use media_rename_folder to change a folder name.";
const unknownFolders = (ids: readonly number[]): string =>
  `These ids do not match any media folder: ${ids.join(", ")}. Nothing was deleted — media_delete_folder rejects the whole request rather than deleting the folders that did match, because folder ids and asset ids are indistinguishable integers. If these are asset ids, use media_delete_assets instead; otherwise the folders may already be gone. Use media_list_folders to discover valid folder ids.`;

const folderName = z
  .string()
  .min(1)
  .regex(/^[^/]+$/, "Folder name cannot contain slashes.")
  .regex(/^(?! ).+(?<! )$/, "Folder name cannot start or end with a whitespace.")
  .describe("Unique among the folders beside it");

const folder = z.object({
  id: z.number(),
  name: z.string(),
  parent: parent.optional(),
  createdAt: time,
  updatedAt: time,
});
const output = z.object({ data: folder });

function findFolder({ folders }: MediaService, id: number): FolderRow {
  const found = folders.find(id);
  if (!found) throw notFound("Media folder not found.");
  return found;
}

function showFolder(context: DocumentsContext, id: number): { data: Document } {
  const [found = {} as Document] = readFolders(context, { populate: ["parent"] }, [id]);
  const { name, parent, createdAt, updatedAt } = found;
  const shownParent = isRecord(parent) ? { id: parent.id, name: parent.name } : null;
  return { data: { id, name, parent: shownParent, createdAt, updatedAt } };
}

function checkParent({ folders }: MediaService, parent: number | null): void {
  if (parent !== null && !folders.find(parent)) throw validationError(NO_PARENT);
}

function checkName({ folders }: MediaService, name: string, parent: number | null, own?: number): void {
  const isTaken = folders.listChildren(parent).some((folder) => folder.name === name && folder.id !== own);
  if (isTaken) throw validationError(NAME_TAKEN);
}

async function changeFolder({ context, media }: AdminServices, id: number, write: (folder: FolderRow) => void) {
  await context.storage.write(() => write(findFolder(media, id)));
  await setAuthor(context, FOLDER, [id], { isNew: false });
  return showFolder(context, id);
}

export function folderTools(services: AdminServices): McpTool[] {
  const { context, media } = services;
  const { folders } = media;
  return [
    typedTool({
      name: "media_create_folder",
      title: "Media: create folder",
      description: "Creates a folder, in another one or in the root.",
      input: strict({ name: folderName, parent: orRoot.optional() }),
      output,
      run: async ({ name, parent = null }) => {
        const { id } = await context.storage.write(() => {
          checkParent(media, parent);
          checkName(media, name, parent);
          return folders.create(name, parent);
        });
        await setAuthor(context, FOLDER, [id], { isNew: true });
        return showFolder(context, id);
      },
    }),
    typedTool({
      name: "media_rename_folder",
      title: "Media: rename folder",
      description: "Changes the name of a folder, and nothing else.",
      input: strict({ id: folderId, name: folderName }, [[["parent"], ONLY_NAME]]),
      output,
      run: ({ id, name }) =>
        changeFolder(services, id, () => {
          checkName(media, name, folders.parents().get(id) ?? null, id);
          folders.rename(id, name);
        }),
    }),
    typedTool({
      name: "media_move_folder",
      title: "Media: move folder",
      description: "Moves a folder with everything in it to another folder, or to the root with null.",
      input: strict({ id: folderId, parent: orRoot }, [[["name"], ONLY_LOCATION]]),
      output,
      run: ({ id, parent }) =>
        changeFolder(services, id, (folder) => {
          checkParent(media, parent);
          const target = parent === null ? undefined : folders.find(parent);
          if (target && isBelow(target.path, folder.path)) throw validationError(INTO_ITSELF);
          checkName(media, folder.name, parent, id);
          folders.move(folder, parent);
        }),
    }),
    typedTool({
      name: "media_delete_folder",
      title: "Media: delete folder (destructive)",
      description:
        "Deletes folders and everything in them for good, whether or not documents use the files. Shows the numbers unless dryRun is false: ask the user before that. Nothing is deleted if an id is unknown.",
      input: strict({ ids: ids(folderId), dryRun: preview }),
      output: z.object({
        dryRun: z.boolean(),
        folders: z.array(folder),
        totalFolderNumber: z.number(),
        totalFileNumber: z.number(),
      }),
      run: async ({ ids, dryRun = true }) => {
        const found = folders.list(ids);
        const unknown = ids.filter((id) => !found.some((folder) => folder.id === id));
        if (unknown.length > 0) throw validationError(unknownFolders(unknown));
        const paths = found.map(({ path }) => path);
        const counts = {
          totalFolderNumber: folders.below(paths).length,
          totalFileNumber: folders.filesBelow(paths).length,
        };
        const foundIds = found.map(({ id }) => id);
        if (!dryRun) await media.deleteMany([], foundIds);
        const shown = found.map(({ id, name }) => ({ id, name, createdAt: null, updatedAt: null }));
        return { dryRun, folders: shown, ...counts };
      },
    }),
  ];
}

const node: z.ZodType = z.lazy(() => z.object({ id: z.number(), name: z.string(), children: z.array(node) }));

/** Listed between the tools that read assets and those that change them. */
export const listFoldersTool = ({ media }: AdminServices): McpTool => ({
  name: "media_list_folders",
  title: "Media: list folders",
  description: "Lists the tree of folders. Their numeric ids are the folderId of media_list_assets.",
  output: z.object({ data: z.array(node) }),
  run: () => ({ data: folderStructure(media.folders) }),
});
