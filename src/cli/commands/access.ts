/** `galley access`: prints permissions of roles and tokens, and warns about risks. */
import { existsSync } from "node:fs";
import { type ContentActionName, contentActions, pluginActions } from "../../engine/access/action-names.ts";
import { type AccessRisk, accessRisks, accessWarnings } from "../../engine/access/warnings.ts";
import { apiTypes } from "../../engine/schema/model.ts";
import type { Project } from "../../server/project/project.ts";
import { dataFolder } from "../../server/project/project-source.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { formatTable } from "../format-table.ts";
import { openForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";

const contentColumns: readonly ContentActionName[] = ["find", "findOne", "create", "update", "delete"];

function permissionLines(project: Project, actions: ReadonlySet<string>): string[] {
  const rows = apiTypes(project.model).map((type) => [
    type.uid,
    ...contentColumns.map((name) => {
      if (!contentActions(type).includes(name)) return "";
      return actions.has(`${type.uid}.${name}`) ? "yes" : "-";
    }),
  ]);
  const plugins = Object.entries(pluginActions).flatMap(([plugin, controllers]) =>
    Object.entries(controllers).flatMap(([controller, names]) => {
      const allowed = names.filter((name) => actions.has(`${plugin}.${controller}.${name}`));
      return allowed.length > 0 ? [`${plugin}.${controller}: ${allowed.join(", ")}`] : [];
    }),
  );
  return [...formatTable([["", ...contentColumns], ...rows]), ...plugins];
}

function parseAllowedRisks(text: string | undefined): Set<AccessRisk> {
  const names = (text ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = names.find((name) => !accessRisks.includes(name as AccessRisk));
  if (unknown !== undefined) throw new UsageError(`--allow knows ${accessRisks.join(", ")}, not "${unknown}"`);
  return new Set(names as AccessRisk[]);
}

async function runAccess(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const allowedRisks = parseAllowedRisks(call.text("allow"));
  // the database has roles that were changed over HTTP; a project that was never served has none yet
  const memory = !existsSync(dataFolder(root));
  await using project = await openForCommand(root, { memory, environment: call.environment });
  const { roles } = project.access;
  const warnings = accessWarnings(project).filter(({ risk }) => !allowedRisks.has(risk));
  const shown = roles.list().map(({ id, type, name, nb_users: users }) => {
    return { type, name, users, actions: [...roles.actions(id as number)].sort() };
  });
  const lines = shown.flatMap(({ type, name, users, actions }) => [
    `role ${type} (${name}), users: ${users}`,
    ...permissionLines(project, new Set(actions)).map((line) => `  ${line}`),
    "",
  ]);
  const warningLines = warnings.map(({ risk, text }) => `warning (${risk}): ${text}`);
  call.result({ roles: shown, warnings }, [...lines, ...(warnings.length === 0 ? ["no warnings"] : warningLines)]);
  return warnings.length > 0 ? 1 : 0;
}

export const access: Command = {
  name: "access",
  summary: "Show permissions of roles and tokens, and warn about risks",
  usage: "[project]",
  options: {
    allow: { type: "string", value: "risks", summary: `Risks not to warn about: ${accessRisks.join(", ")}` },
    json,
  },
  run: runAccess,
};
