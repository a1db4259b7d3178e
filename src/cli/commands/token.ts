/** `galley token …`: manages API tokens in a project's database. */

import { type TokenRecord, type TokenType, tokenRules } from "../../engine/access/access.ts";
import { actionNames, expandActions, unknownAction } from "../../engine/access/action-names.ts";
import type { Tokens } from "../../engine/access/tokens.ts";
import type { Project } from "../../server/project/project.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { openNamed } from "../open-project.ts";

const DAY_MS = 86_400_000;
const KEY_BYTES = 48;

/** Parses a number of days from now, or a time, to ISO 8601. Throws a UsageError for a time in the past. */
function parseExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = /^\d+$/.test(text) ? Date.now() + Number(text) * DAY_MS : Date.parse(text);
  if (Number.isNaN(time) || time <= Date.now() || time > 8.64e15)
    throw new UsageError(`--expires must be a number of days or a time in the future, not "${text}"`);
  return new Date(time).toISOString();
}

function parsePermissions(text: string | undefined, type: TokenType, project: Project): string[] {
  const names = (text ?? "").split(",").flatMap((name) => name.trim() || []);
  if (type !== "custom" && names.length > 0) throw new UsageError("only custom tokens list --permissions");
  if (type === "custom" && names.length === 0) throw new UsageError("a custom token needs --permissions");
  const knownActions = actionNames(project.model);
  const { actions, unknown } = expandActions(names, knownActions);
  if (unknown.length > 0) throw new UsageError(unknownAction(unknown[0]!, knownActions));
  return actions;
}

function findToken(tokens: Tokens, name: string): TokenRecord | undefined {
  return tokens.list().find((token) => token.name === name);
}

function tokenName(call: CommandCall, { name: command, usage }: Command): string {
  const [name] = call.arguments;
  if (!name) throw new UsageError(`which token? Its name comes first: galley ${command} ${usage}`);
  return name;
}

const create: Command = {
  name: "token create",
  summary: "Create an API token; its key is shown once",
  usage: "<name> [project]",
  options: {
    type: {
      type: "string",
      value: "type",
      summary: "full-access, read-only (default), custom or admin",
      choices: Object.keys(tokenRules),
    },
    permissions: { type: "string", value: "actions", summary: "What a custom token may do, separated by commas" },
    expires: { type: "string", value: "when", summary: "Days from now, or a time; never by default" },
    json,
  },
  run: async (call) => {
    const name = tokenName(call, create);
    const type = (call.text("type") ?? "read-only") as TokenType;
    const expiresAt = parseExpiry(call.text("expires"));
    await using project = await openNamed(call, 1);
    const { tokens } = project.access;
    if (findToken(tokens, name)) throw new UsageError(`a token "${name}" already exists`);
    const permissions = parsePermissions(call.text("permissions"), type, project);
    // hex has no characters that need quotes on a command line
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
    tokens.put({ name, type, key, permissions, expiresAt, origin: "command" });
    call.result({ name, type, permissions, expiresAt, key }, [key]);
    // scripts read the key alone
    if (process.stdout.isTTY)
      call.print('Requests have it in the header "Authorization: Bearer <key>"; it is not shown again');
    return 0;
  },
};

const list: Command = {
  name: "token list",
  summary: "Show the API tokens of a project",
  usage: "[project]",
  options: { json },
  run: async (call) => {
    await using project = await openNamed(call);
    const shown = project.access.tokens.list().map(({ name, type, permissions, expiresAt, lastUsedAt, origin }) => {
      return { name, type, permissions, expiresAt, lastUsedAt, origin };
    });
    const lines = shown.map(({ name, type, permissions, expiresAt, lastUsedAt, origin }) => {
      const permissionText = type === "custom" ? `custom (${permissions.join(", ")})` : type;
      const expiry = expiresAt === null ? "never expires" : `expires ${expiresAt}`;
      const usage = lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`;
      const source = origin === "config" ? "config/galley.json" : "galley token";
      return [name, permissionText, expiry, usage, source].join("  ");
    });
    return call.result(shown, lines);
  },
};

const revoke: Command = {
  name: "token revoke",
  summary: "Revoke an API token",
  usage: "<name> [project]",
  options: { json },
  run: async (call) => {
    const name = tokenName(call, revoke);
    await using project = await openNamed(call, 1);
    const { tokens } = project.access;
    const token = findToken(tokens, name);
    if (!token) throw new UsageError(`there is no token "${name}"`);
    if (token.origin === "config")
      throw new UsageError(`the token "${name}" is from config/galley.json; remove it there`);
    tokens.remove(name);
    return call.result({ revoked: name }, [`"${name}" is revoked: requests with its key are refused from now on`]);
  },
};

export const tokenCommands: readonly Command[] = [create, list, revoke];
