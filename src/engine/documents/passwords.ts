/** Hashes the passwords in a request's data before the transaction that stores them. */
import { isRecord } from "../../lib/is-record.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import { entrySchema, holdsComponents } from "../schema/entries.ts";
import type { Model, Schema } from "../schema/model.ts";
import type { Data, Hashes } from "./rows.ts";

const COST = 10;

/** A hash takes tens of milliseconds of a core, so one core is left for other work. */
const hashing = new Semaphore(Math.max(1, navigator.hardwareConcurrency - 1));
/** With more requests in the queue, the last would wait longer than clients do. */
const MAX_WAITING = 500;

export const isHashingSaturated = (): boolean => hashing.waiting >= MAX_WAITING;

/** The bytes that bcrypt uses. Strapi truncates longer passwords, while Bun would pre-hash them. */
const significant = (password: string): Uint8Array => new TextEncoder().encode(password).subarray(0, 72);

export const hashPassword = (password: string): Promise<string> =>
  hashing.run(1, () => Bun.password.hash(significant(password), { algorithm: "bcrypt", cost: COST }));

export const isPasswordHash = (text: string): boolean => /^\$2[aby]\$\d\d\$[./\w]{53}$/.test(text);

/** As in Strapi, a text that is no hash matches no password. */
export const verifyPassword = async (password: string, hash: string): Promise<boolean> =>
  isPasswordHash(hash) && hashing.run(1, () => Bun.password.verify(significant(password), hash));

/** An empty string is not hashed; no login matches it. */
const isPassword = (value: unknown): value is string => typeof value === "string" && value !== "";

function collect(model: Model, schema: Schema, data: unknown, found: Set<string>): void {
  if (!isRecord(data)) return;
  for (const [name, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(name);
    if (attribute?.kind === "scalar" && attribute.type.isSecret && isPassword(value)) found.add(value);
    if (!holdsComponents(attribute)) continue;
    for (const entry of [value].flat()) {
      const component = entrySchema(model, attribute, entry);
      if (component) collect(model, component, entry, found);
    }
  }
}

/** The passwords that a write would store. */
export function passwordsIn(model: Model, schema: Schema, data: Data): ReadonlySet<string> {
  const found = new Set<string>();
  collect(model, schema, data, found);
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== "scalar" || !attribute.type.isSecret) continue;
    if (isPassword(attribute.definition.default)) found.add(attribute.definition.default);
  }
  return found;
}

/** As long as a hash, since the lengths of published versions are checked with it. */
const NO_HASH = "x".repeat(60);

/** For a write that is rolled back. */
export const withoutHashing = (passwords: ReadonlySet<string>): Hashes =>
  new Map([...passwords].map((password) => [password, NO_HASH]));

export async function hashPasswords(passwords: ReadonlySet<string>): Promise<Hashes> {
  const pairs = [...passwords].map(async (password) => [password, await hashPassword(password)] as const);
  return new Map(await Promise.all(pairs));
}
