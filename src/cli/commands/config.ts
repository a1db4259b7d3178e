/** `galley config dump` and `galley config restore`: settings of plugins, in the format of `strapi configuration:dump`. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { findErrorCode } from "../../lib/error-code.ts";
import { type Strategy, strategies } from "../../transfer/config-dump.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { openNamed } from "../open-project.ts";
import { serveHint, shownPath } from "../project-folder.ts";

/** Throws a UsageError for a file that the system refuses. */
function orExplain<T>(verb: "read" | "written", file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UsageError(`--file: ${file} cannot be ${verb} (${findErrorCode(cause)})`, { cause });
  }
}

async function runDump(call: CommandCall): Promise<number> {
  const { dumpConfiguration } = await import("../../transfer/config-dump.ts");
  const file = call.text("file");
  await using project = await openNamed(call);
  const rows = dumpConfiguration(project.context.storage, project.settings);
  const text = JSON.stringify(rows, null, call.flag("pretty") ? 2 : undefined);
  if (file === undefined) {
    return call.result(rows, [text]);
  }
  // settings of mail and sign-in providers may be secret
  orExplain("written", file, () => writeFileSync(resolve(file), `${text}\n`, { mode: 0o600 }));
  return call.result({ file, settings: rows.length }, [
    `${rows.length} settings are in ${file}`,
    `galley config restore --file ${shownPath(resolve(file))} reads them`,
  ]);
}

async function readInput(file: string | undefined): Promise<{ text: string; name: string }> {
  if (file !== undefined)
    return { text: orExplain("read", file, () => readFileSync(resolve(file), "utf8")), name: file };
  if (process.stdin.isTTY) throw new UsageError("which settings? --file names a file, or they are the standard input");
  return { text: await Bun.stdin.text(), name: "the standard input" };
}

async function runRestore(call: CommandCall): Promise<number> {
  const strategy = (call.text("strategy") ?? "replace") as Strategy;
  const { parseDump, restoreConfiguration } = await import("../../transfer/config-dump.ts");
  const { text, name } = await readInput(call.text("file"));
  const rows = parseDump(text, name);
  await using project = await openNamed(call);
  await project.idle();
  const { storage } = project.context;
  const { created, existing, notes } = storage.transaction(() =>
    restoreConfiguration(storage, project.settings, rows, strategy),
  );
  const verb = { replace: "replaced", merge: "merged", keep: "left as they are" }[strategy];
  return call.result({ created, existing, strategy, notes }, [
    `created: ${created}, ${verb}: ${existing}`,
    ...notes,
    serveHint(project.root),
  ]);
}

export const configDump: Command = {
  name: "config dump",
  summary: "Print the settings of Strapi's plugins, as strapi configuration:dump does",
  usage: "[project]",
  options: {
    file: { type: "string", value: "file", summary: "Write them into a file" },
    pretty: { type: "boolean", summary: "With indentation" },
    json,
  },
  run: runDump,
};

export const configRestore: Command = {
  name: "config restore",
  summary: "Read settings of such a dump from the standard input",
  usage: "[project]",
  options: {
    file: { type: "string", value: "file", summary: "Read them from a file" },
    strategy: {
      type: "string",
      value: "name",
      summary: "For keys that are there: replace (default), merge or keep",
      choices: strategies,
    },
    json,
  },
  run: runRestore,
};
