/** Secrets of the server: from the environment, or generated once and stored readable by the owner only. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import type { Environment } from "../config/env.ts";
import { isSection } from "../config/files.ts";
import { ensurePrivateFolder, makePrivate } from "../storage/private-file.ts";
import { asProjectError } from "../storage/problems.ts";

export interface Secrets {
  /** Signs the tokens of signed-in users. */
  readonly jwt: string;
  /** Keys the hashes of API tokens. */
  readonly tokenSalt: string;
  /** Signs links to the admin page, and its sessions. */
  readonly admin: string;
}

const names = ["jwt", "tokenSalt", "admin"] as const satisfies readonly (keyof Secrets)[];

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
  const secrets: Secrets = {
    jwt: stored.jwt ?? randomSecret(),
    tokenSalt: stored.tokenSalt ?? randomSecret(),
    admin: stored.admin ?? randomSecret(),
  };
  if (file && names.some((name) => secrets[name] !== stored[name])) {
    ensurePrivateFolder(folder!);
    const text = `${JSON.stringify(secrets, null, 2)}\n`;
    replaceFile(file, (unfinished) => writeFileSync(unfinished, text, { mode: 0o600 }));
  }
  return {
    jwt: environment.JWT_SECRET || secrets.jwt,
    tokenSalt: environment.API_TOKEN_SALT || secrets.tokenSalt,
    admin: environment.ADMIN_JWT_SECRET || secrets.admin,
  };
}
