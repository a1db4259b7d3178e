/** `galley doctor`: reports which parts of a project's own code work, are ignored, or miss something, without running the code. */
import { resolve } from "node:path";
import type { Examination } from "../../project-code/doctor/examine.ts";
import type { Command, CommandCall } from "../command.ts";
import { checkProjectFolder } from "../project-folder.ts";

const verdicts: Readonly<Record<Examination["verdict"], string>> = {
  "no code": "This project has no code of its own: everything is served as its schemas say.",
  runs: "All code of this project runs.",
  "runs in part": "This project starts, but parts of its code fail when they are called.",
};

function reportLines({ works, ignored, missing, packages, verdict, advice }: Examination): string[] {
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ""];
  return [
    ...section(
      "Works:",
      works.map(({ kind, file }) => `${kind.padEnd(10)} ${file}`),
    ),
    ...section(
      "Ignored, since it has only defaults:",
      ignored.map(({ file }) => file),
    ),
    ...section("Missing:", [
      ...packages.map(({ file, name }) => `${file}: ${name} is not installed; what needs it fails`),
      ...missing.map(({ file, line, what }) => `${file}:${line}: ${what} does not exist; calling it is an error`),
    ]),
    verdicts[verdict],
    ...advice.map((line) => `- ${line}`),
  ];
}

async function runDoctor(call: CommandCall): Promise<number> {
  const root = resolve(call.arguments[0] ?? ".");
  checkProjectFolder(root);
  const { examineCode } = await import("../../project-code/doctor/examine.ts");
  const { findCodeFiles } = await import("../../project-code/loader/code-files.ts");
  const { findPluginFiles } = await import("../../project-code/loader/plugin-files.ts");
  const { readPluginConfig } = await import("../../server/code.ts");
  const plugins = findPluginFiles(root, readPluginConfig(root, call.environment));
  const examination = examineCode(root, [...findCodeFiles(root), ...plugins]);
  if (call.flag("json")) call.print(JSON.stringify(examination, null, 2));
  else for (const line of reportLines(examination)) call.print(line);
  return examination.verdict === "runs in part" ? 1 : 0;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Check a project's own code: what works, is ignored or is missing",
  usage: "[project]",
  maxArguments: 1,
  options: {
    json: { type: "boolean", summary: "Print JSON, for scripts; the exit code is 1 if something is missing" },
  },
  run: runDoctor,
};
