/** `galley doctor`: reports which parts of a project work, are refused, ignored or missing, without starting it. */
import { problemText } from "../../lib/errors.ts";
import type { Diagnosis } from "../../server/diagnose.ts";
import type { Command, CommandCall } from "../command.ts";
import { section } from "../format-table.ts";
import { withoutOutput } from "../open-project.ts";
import { projectFolder, serveHint } from "../project-folder.ts";

const verdicts: Readonly<Record<Diagnosis["verdict"], { readonly text: string; readonly exitCode: number }>> = {
  "is refused": { text: "This project does not start.", exitCode: 1 },
  "runs in part": { text: "This project starts, but parts of its code fail or have no effect.", exitCode: 1 },
  runs: { text: "This project starts, and all of its code is run.", exitCode: 0 },
  "no code": { text: "This project has no code of its own: everything is served as its schemas say.", exitCode: 0 },
};

const MAX_IDS = 10;

function describeUnreadable({ uid, attribute, type, count, rows }: Diagnosis["unreadable"][number]): string {
  const ids = `${rows.slice(0, MAX_IDS).join(", ")}${count > MAX_IDS ? ", …" : ""}`;
  return `${uid}, "${attribute}": ${count} ${count === 1 ? "value" : "values"} that ${count === 1 ? "is" : "are"} not a valid ${type}, in rows with id ${ids}`;
}

function reportLines(diagnosis: Diagnosis): string[] {
  return [
    ...section(
      "Works:",
      diagnosis.works.map(({ kind, file }) => `${kind.padEnd(10)} ${file}`),
    ),
    ...section(
      "Ignored, since it has only defaults:",
      diagnosis.ignored.map(({ file }) => file),
    ),
    ...section("Missing, or different from Strapi:", [
      ...diagnosis.packages.map(({ file, name }) => `${file}: ${name} is not installed; what needs it fails`),
      ...diagnosis.missing.map(({ file, line, what, effect }) => `${file}:${line}: ${what} ${effect}`),
    ]),
    ...section(
      "Left out, since it fails:",
      diagnosis.failing.map(({ file, message }) => `${file} ${message}`),
    ),
    ...section("Served in another way than the files say:", diagnosis.warnings.map(problemText)),
    ...section("Set, but without effect in Galley:", diagnosis.unused.map(problemText)),
    ...section(
      "In the database, but cannot be read, and is returned as null:",
      diagnosis.unreadable.map(describeUnreadable),
    ),
    ...section("Refused:", diagnosis.refused.map(problemText)),
    verdicts[diagnosis.verdict].text,
    ...diagnosis.advice.map((line) => `- ${line}`),
  ];
}

async function runDoctor(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const next = serveHint(root);
  // the project's own code may use relative paths
  process.chdir(root);
  const { diagnose } = await import("../../server/diagnose.ts");
  const diagnosis = await withoutOutput(() => diagnose(root, call.environment));
  call.result(diagnosis, [...reportLines(diagnosis), ...(diagnosis.verdict === "is refused" ? [] : [next])]);
  return diagnosis.unreadable.length > 0 ? 1 : verdicts[diagnosis.verdict].exitCode;
}

export const doctor: Command = {
  name: "doctor",
  summary: "Check a project without starting it: what works, is refused, ignored or missing",
  usage: "[project]",
  options: {
    json: {
      type: "boolean",
      summary:
        "Print JSON, for scripts; the exit code is 1 if something is refused, fails, is missing or cannot be read",
    },
  },
  run: runDoctor,
};
