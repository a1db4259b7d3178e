/** The tool that adds files to the media library: Strapi's tools only change those that are there. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import type { AdminServices } from "../../../admin/services.ts";
import { storeFile } from "../../../admin/upload/from-urls.ts";
import { download, locatePublic } from "../../../engine/media/download.ts";
import type { Document } from "../../../engine/query/select.ts";
import { errorMessage, validationError } from "../../../lib/errors.ts";
import { shownAsset } from "../media/assets.ts";
import { folderId } from "../media/schemas.ts";
import { always, type DevelopmentTool, tool } from "./tool.ts";

const MAX_FILES = 20;
/** Hidden files, such as `.env` and the database, and settings are not published. Some systems find them by names in capitals, too. */
const PRIVATE = /(?:^|[\\/])\.|^config(?:[\\/]|$)/i;

const source = z.strictObject({
  path: z.string().max(1000).optional().describe("Of a file of the project, such as content/media/a.jpg"),
  url: z.string().max(2000).optional().describe("Public, in place of path"),
  name: z.string().min(1).max(255).optional(),
  alternativeText: z.string().max(1000).optional(),
  caption: z.string().max(1000).optional(),
});
type Source = z.infer<typeof source>;

/** The file of a path in the project. Throws a ValidationError for others. */
function findFile(root: string, path: string): string {
  const file = join(root, path);
  const isFile = existsSync(file) && statSync(file).isFile();
  const inside = isFile ? relative(realpathSync(root), realpathSync(file)) : "";
  // a link to another drive of Windows has no relative path
  if (!isFile || isAbsolute(inside) || PRIVATE.test(inside) || PRIVATE.test(relative(root, file)))
    throw validationError(`${path} is not a file of the project that can be published`);
  return file;
}

async function open({ root, settings }: AdminServices, { path, url }: Source, ended: AbortSignal) {
  if ((path === undefined) === (url === undefined)) throw validationError("Name a path or a url");
  if (url !== undefined) return download(url, settings.upload.sizeLimit, ended, locatePublic);
  const file = findFile(root, path!);
  return { filename: basename(file), type: "", stream: Bun.file(file).stream() };
}

export const uploadTools: readonly DevelopmentTool[] = [
  tool({
    name: "media_upload",
    title: "Add files to the media library",
    description: `Adds at most ${MAX_FILES} files of the project or of public URLs to the media library. What cannot be added is listed in failed, and the others are added.`,
    input: z.strictObject({ files: z.array(source).min(1).max(MAX_FILES), folderId: folderId.optional() }),
    changes: always,
    run: async ({ services }, { files, folderId: folder = null }) => {
      const uploaded: Document[] = [];
      const failed: object[] = [];
      // the call has been answered then, and what is added belongs to no session
      const ended = AbortSignal.timeout(services.settings.server.mcp.timeoutMs);
      for (const file of files) {
        if (ended.aborted) break;
        const { path, url, ...info } = file;
        try {
          const part = await open(services, file, ended);
          uploaded.push(shownAsset(await storeFile(services, part, { ...info, folder })));
        } catch (error) {
          failed.push({ file: path ?? url, reason: errorMessage(error) });
        }
      }
      return { uploaded, failed };
    },
  }),
];
