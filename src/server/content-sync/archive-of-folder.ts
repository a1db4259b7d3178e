/** Content files as an archive, which is imported into the project that they are of. */
import { join } from "node:path";
import { insertRow } from "../../engine/access/insert-row.ts";
import { FILE, PERMISSION, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { apiTypes, contentType, type Model, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { type ArchiveSource, readEntries } from "../../transfer/archive/entries.ts";
import { localesOf, storeLocales } from "../../transfer/content/manifest.ts";
import { exportArchive } from "../../transfer/export/export-archive.ts";
import type { Unread } from "../../transfer/import/unread.ts";
import type { Project } from "../project/project.ts";

/** Gives a project in memory what files name and do not hold: users, whom an import finds again by their names, and locales. */
export function copyNamed(from: Project, to: Project): void {
  const { storage, model } = to.context;
  const tableOf = (uid: string): string => quote(contentType(model, uid).table);
  const users = from.context.storage.all(`SELECT username, email FROM ${tableOf(USER)}`) as [string, string][];
  storage.transaction(() => {
    storeLocales(to.context, localesOf(from.context));
    for (const uid of [ROLE, PERMISSION, USER]) storage.run(`DELETE FROM ${tableOf(uid)}`);
    for (const [username, email] of users) insertRow(to.context, USER, { username, email });
  });
}

/** Writes the content of such a project, without its settings. */
export async function archiveOf(
  { context, schema, settings, uploads }: Project,
  folder: string,
): Promise<ArchiveSource> {
  const file = join(folder, "content.tar");
  await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file });
  async function* entries() {
    for await (const entry of readEntries({ file }))
      if (entry.parsedPath.kind !== "rows" || entry.parsedPath.stage !== "configuration") yield entry;
  }
  return { file, entries };
}

const secretsOf = ({ uid, attributes }: Schema): string[] =>
  [...attributes.values()]
    .filter((attribute) => attribute.kind === "scalar" && attribute.type.isSecret)
    .map(({ name }) => `${uid}.${name}`);

/** What content files do not hold. */
export function unreadByFiles(model: Model): Unread {
  const types = [...model.types.values()].filter(({ plugin, uid }) => plugin !== undefined && uid !== FILE);
  const secrets = [...apiTypes(model), ...model.components.values()].flatMap(secretsOf);
  const attributes = [...secrets, `${FILE}.folder`, `${FILE}.folderPath`];
  return {
    types: new Map(types.map(({ uid }) => [uid, "absent" as const])),
    attributes: new Map(attributes.map((name) => [name, "absent" as const])),
  };
}
