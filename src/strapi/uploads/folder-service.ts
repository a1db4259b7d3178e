/** The services of the upload plugin for folders. */
import { folderStructure } from "../../engine/media/folder-structure.ts";
import { Folders } from "../../engine/media/folders.ts";
import { rowId } from "../../engine/media/row-id.ts";
import type { Params } from "../../engine/query/parse.ts";
import { FILE, FOLDER } from "../../engine/schema/builtin/index.ts";
import { isRecord, type Values } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import type { EventHub } from "../members/event-hub.ts";
import { findFolderPath } from "./file-service.ts";
import type { UploadParts } from "./upload-parts.ts";

export function folderServices(parts: UploadParts): Members {
  const { runtime } = parts;
  const rows = () => runtime().query(FOLDER);
  const folders = () => new Folders(runtime().raw);
  const findPath = (id: unknown): string => findFolderPath(parts, id);
  const readParent = ({ parent }: Values): number | null => {
    const id = isRecord(parent) ? parent.id : parent;
    findPath(id);
    return rowId(id) ?? null;
  };
  const folder = {
    create: async (values: Values) => {
      const created = await runtime().transactions.run(async () => {
        const { id } = folders().create(String(values.name ?? ""), readParent(values));
        return rows().findOne({ where: { id } });
      });
      const { eventHub } = runtime().strapi as { eventHub: EventHub };
      await eventHub.emit("media-folder.create", { folder: created });
      return created;
    },
    /** Undefined for an unknown folder, as in Strapi. */
    update: (id: unknown, { name, parent }: Values) =>
      runtime().transactions.run(async () => {
        const before = folders().find(rowId(id) ?? 0);
        if (!before) return undefined;
        if (parent !== undefined) {
          const path = findPath(parent);
          if (path === before.path || path.startsWith(`${before.path}/`))
            throw new Error("A folder cannot be moved inside itself");
          folders().move(before, parent === null ? null : (rowId(parent) ?? null));
        }
        if (name !== undefined) folders().rename(before.id, String(name));
        return rows().findOne({ where: { id: before.id } });
      }),
    deleteByIds: async (ids: unknown = []) => {
      const found = folders().list([ids].flat().flatMap((id) => rowId(id) ?? []));
      const paths = found.map(({ path }) => path);
      const totalFolderNumber = folders().below(paths).length;
      const totalFileNumber = folders().filesBelow(paths).length;
      const deleted = await rows().findMany({ where: { id: { $in: found.map(({ id }) => id) } } });
      if (parts.hasOwnSteps() || parts.replaces("upload.remove")) {
        const files = await runtime()
          .query(FILE)
          .findMany({ where: { id: { $in: folders().filesBelow(paths) } } });
        for (const file of files) await parts.service("upload")("remove", file);
      }
      await parts.media().deleteMany(
        [],
        found.map(({ id }) => id),
      );
      return { folders: deleted, totalFolderNumber, totalFileNumber };
    },
    exists: async (where: Params = {}) => (await rows().count({ where })) > 0,
    getStructure: async () => folderStructure(folders()),
    setPathIdAndPath: async (values: Values) => {
      const pathId = folders().nextPathId();
      const parent = findPath(readParent(values));
      return { ...values, pathId, path: parent === "/" ? `/${pathId}` : `${parent}/${pathId}` };
    },
  };
  const apiUploadFolder = {
    getAPIUploadFolder: () =>
      runtime().transactions.run(async () => rows().findOne({ where: { id: folders().apiFolder().id } })),
  };
  return { folder, "api-upload-folder": apiUploadFolder };
}
