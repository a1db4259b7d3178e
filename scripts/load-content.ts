#!/usr/bin/env bun
/**
 * Loads a folder of texts and images into a running server, through its public API only.
 *
 *   bun scripts/load-content.ts DATA_FOLDER --token KEY [--url http://localhost:1337]
 *
 * DATA_FOLDER/data.json has the documents: a single type's by its singular name, a list by a collection type's plural
 * name. Media are named by their files in DATA_FOLDER/uploads, all of which are uploaded; relations are `{ "id": 2 }`, the
 * second document of the target's list. Where a media attribute is null, an image takes its place that is named after
 * the document's uid attribute, after the media attribute, or "default-image", if there is one.
 *
 * What is there already is left as it is: files are recognised by their names, documents by their uid and unique
 * attributes, or by their short texts where they have neither. (What a killed run was just sending may still be on its way
 * into the server, and is not seen by a run that begins in that moment.)
 *
 * The token must be allowed to read the schema, to find and create documents and files, and to update single types;
 * full-access is.
 */
import { parseArgs } from "node:util";
import { Api } from "./load-content/api.ts";
import { ContentLoader } from "./load-content/load.ts";
import { LoadError } from "./load-content/load-error.ts";
import { readFolder } from "./load-content/read-folder.ts";
import { readSchema } from "./load-content/schema.ts";

const USAGE = "usage: bun scripts/load-content.ts DATA_FOLDER --token KEY [--url http://localhost:1337]";

/** A key may begin with a dash, which parseArgs takes only behind an equals sign. */
function withKey(args: readonly string[]): string[] {
  const at = args.indexOf("--token");
  const key = args[at + 1];
  return at < 0 || key === undefined ? [...args] : args.toSpliced(at, 2, `--token=${key}`);
}

function readArguments(): { folder: string; url: string; token: string } {
  const options = { url: { type: "string", default: "http://localhost:1337" }, token: { type: "string" } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: withKey(process.argv.slice(2)),
      options,
      allowPositionals: true,
    });
    const [folder, ...more] = positionals;
    const { url, token } = values;
    if (!folder || more.length > 0 || !token) throw new LoadError(USAGE);
    if (!URL.canParse(url)) throw new LoadError(`--url must be an address, not "${url}"`);
    return { folder, url, token };
  } catch (error) {
    // what parseArgs throws for an unknown option
    throw error instanceof TypeError ? new LoadError(`${error.message}\n${USAGE}`) : error;
  }
}

try {
  const { folder, url, token } = readArguments();
  const content = readFolder(folder);
  const api = new Api(url, token);
  const { files, documents } = await new ContentLoader(api, await readSchema(api), content).load();
  console.log(`files: ${files.made} uploaded, ${files.kept} there already`);
  console.log(`documents: ${documents.made} made, ${documents.kept} there already`);
} catch (error) {
  if (!(error instanceof LoadError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
