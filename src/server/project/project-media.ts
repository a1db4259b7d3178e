/** The media of a project: the folder of uploads, the media library, and the static files. */

import { join, resolve } from "node:path";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import { PublicFiles } from "../../engine/media/public-files.ts";
import { UploadFolder } from "../../engine/media/upload-folder.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { once } from "../../lib/once.ts";
import type { Interception } from "./project-context.ts";

/** Finishes or undoes changes of files by killed processes. */
function recoverUploads(uploads: UploadFolder, storage: Storage): void {
  if (uploads.owners().size === 0) return;
  const { recover } =
    require("../../engine/media/file-change.ts") as typeof import("../../engine/media/file-change.ts");
  recover(uploads, storage);
}

/**
 * The code of the media library is loaded when it is first changed. `dataFolder` undefined: nothing is written into the project.
 * `previous`: of the project that this one replaces.
 */
export function openMedia(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  dataFolder: string | undefined,
  previous: UploadFolder | undefined,
  interception: Interception,
) {
  const publicFolder = resolve(root, settings.server.publicFolder);
  const uploadsFolder = join(publicFolder, "uploads");
  const path = dataFolder === undefined ? undefined : uploadsFolder;
  const isSame = previous !== undefined && (path === undefined || previous.path === path);
  const uploads = isSame ? previous : new UploadFolder(path, dataFolder);
  if (dataFolder !== undefined && !previous) recoverUploads(uploads, context.storage);
  const media = once((): MediaService => {
    const { MediaService } =
      require("../../engine/media/media-service.ts") as typeof import("../../engine/media/media-service.ts");
    return new MediaService(context, settings.upload, uploads, () => interception.files?.());
  });
  const { publicMaxAge, favicon } = settings.http;
  const files = new PublicFiles({
    publicFolder,
    // a project in memory does not write into the uploads folder, but serves the files in it
    uploads: () => [...new Set([uploads.path ?? uploadsFolder, uploadsFolder])],
    maxAge: publicMaxAge,
    favicon: {
      paths: [favicon.path, "favicon.png", "favicon.ico"].map((icon) => resolve(root, icon)),
      maxAge: favicon.maxAge,
    },
  });
  return { uploads, media, files };
}
