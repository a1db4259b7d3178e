/** The routes of the page "Backup". */
import { existsSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { requiredBody } from "../../admin/body.ts";
import { type AdminRoute, ok, route } from "../../admin/call.ts";
import { API_PATH } from "../../admin/session/session.ts";
import { diskFull } from "../../engine/storage/problems.ts";
import { applicationError, notFound, ProjectError } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import type { Project } from "../project/project.ts";
import { databaseFile, dataFolder } from "../project/project-source.ts";

const PATH = `${API_PATH}/backup`;
const ELSEWHERE =
  "The project is an archive, in memory, read-only, or served by several processes: stop it, and use galley restore";

/** Refusals of files and folders, for the administrator. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    const text = error.problems.map(({ file: path, reason }) => `${basename(path)} ${reason}`).join(". ");
    throw diskFull(error.cause) ?? applicationError(text);
  }
}

/** The bytes of a file, which is removed when all of them were read. */
const takeBytes = (file: string): ReadableStream<Uint8Array> =>
  Bun.file(file)
    .stream()
    .pipeThrough(new TransformStream({ flush: () => rmSync(file, { force: true }) }));

export function backupRoutes(project: Project): AdminRoute[] {
  const { root, context, uploads, reloader, isReadOnly } = project;
  const file = join(dataFolder(root), "backup-download.tar.gz");
  const restore = once(() => {
    const { LiveRestore } = require("./live-restore.ts") as typeof import("./live-restore.ts");
    return new LiveRestore(project);
  });
  const isStored = (): boolean => resolve(context.storage.db.filename) === resolve(databaseFile(root));
  const canRestore = (): boolean => isStored() && !isReadOnly && reloader.reload !== undefined;
  const expectRestore = (): void => {
    if (!canRestore()) throw applicationError(ELSEWHERE);
  };
  return [
    route("GET", PATH, () =>
      ok({
        data: {
          canBackUp: isStored(),
          problem: canRestore() ? null : ELSEWHERE,
          pending: canRestore() ? (restore().pending ?? null) : null,
        },
      }),
    ),
    // without secrets: with them, whoever has the file could sign tokens of this server
    route("POST", `${PATH}/file`, async () => {
      if (!isStored()) throw applicationError("The content of this project is in memory only");
      const { writeBackup } = require("./write-backup.ts") as typeof import("./write-backup.ts");
      const { keepDatabase } = require("./database-copy.ts") as typeof import("./database-copy.ts");
      const folders = { data: dataFolder(root), uploads: uploads.path ?? "", content: join(root, CONTENT_FOLDER) };
      const copy = (to: string): Promise<void> => keepDatabase(context.storage, to);
      return ok({ data: await refusing(() => writeBackup(folders, file, { hasSecrets: false, copy })) });
    }),
    route("GET", `${PATH}/file`, () => {
      if (!existsSync(file)) throw notFound("There is no backup to download: make one");
      const day = new Date(context.clock.now()).toISOString().slice(0, 10);
      const name = `${basename(root).replaceAll(/[^\w.-]/g, "-")}-${day}.tar.gz`;
      return {
        status: 200,
        stream: takeBytes(file),
        headers: {
          "Content-Type": "application/gzip",
          "Content-Length": String(Bun.file(file).size),
          "Content-Disposition": `attachment; filename="${name}"`,
        },
      };
    }),
    route("POST", `${PATH}/restore`, async ({ request }) => {
      expectRestore();
      return ok({ data: await refusing(() => restore().receive(request.body)) });
    }),
    route("POST", `${PATH}/restore/apply`, async (call) => {
      expectRestore();
      const { id } = await requiredBody(call);
      return ok({ data: { earlier: await refusing(() => restore().apply(id)) } });
    }),
    route("DELETE", `${PATH}/restore`, async () => {
      expectRestore();
      await refusing(() => restore().discard());
      return ok({ data: null });
    }),
  ];
}
