/** Secrets of the server: from the environment, or generated once and stored readable by the owner only. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import type { Environment } from "../config/env.ts";
import { isSection } from "../config/files.ts";
import { ensurePrivateFolder, makePrivate } from "../storage/private-file.ts";
import { asProjectError } from "../storage/problems.ts";

/**
 * Their variables. `jwt` signs the tokens of signed-in users, `admin` links to the admin page and its sessions; `tokenSalt` keys hashes of
 * API tokens.
 */
const variables = { jwt: "JWT_SECRET", tokenSalt: "API_TOKEN_SALT", admin: "ADMIN_JWT_SECRET" } as const;

type Name = keyof typeof variables;
export type Secrets = Readonly<Record<Name, string>>;

const names = Object.keys(variables) as Name[];
const mapNames = (read: (name: Name) => string): Secrets =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Secrets;

const randomSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

function readFile(file: string): Partial<Secrets> {
  if (!existsSync(file)) return {};
  makePrivate(file);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw asProjectError(cause, file);
    // new secrets would invalidate all sessions and tokens, which must not happen by itself
    throw new ProjectError(file, undefined, "is not valid JSON; restore it, or remove it to have new secrets");
  }
  return isSection(value) ? value : {};
}

/** `folder`: where they are stored; undefined: in memory only. */
export function loadSecrets(folder: string | undefined, environment: Environment): Secrets {
  const file = folder === undefined ? undefined : join(folder, "secrets.json");
  const stored = file ? readFile(file) : {};
  const secrets = mapNames((name) => stored[name] ?? randomSecret());
  if (file && names.some((name) => secrets[name] !== stored[name])) {
    ensurePrivateFolder(folder!);
    const text = `${JSON.stringify(secrets, null, 2)}\n`;
    replaceFile(file, (unfinished) => writeFileSync(unfinished, text, { mode: 0o600 }));
  }
  return mapNames((name) => environment[variables[name]] || secrets[name]);
}
