/** Hashes the passwords in a request's data before the transaction that stores them. */
import { validationError } from "../errors.ts";
import { isRecord } from "../query/key-check.ts";
import { component, type Model, type Schema } from "../schema/model.ts";
import type { Data, Hashes } from "./rows.ts";

/** Each costs tens of milliseconds of work by design. */
const MAX_PASSWORDS = 20;
const COST = 10;

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: "bcrypt", cost: COST });

function collect(model: Model, schema: Schema, data: unknown, found: Set<string>): void {
  if (!isRecord(data)) return;
  for (const [name, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(name);
    if (attribute?.kind === "scalar" && attribute.type.secret && typeof value === "string") found.add(value);
    if (attribute?.kind === "component") {
      for (const item of [value].flat()) collect(model, component(model, attribute.component), item, found);
    }
    if (attribute?.kind === "zone") {
      for (const item of [value].flat()) {
        const part = isRecord(item) ? model.components.get(String(item.__component)) : undefined;
        if (part) collect(model, part, item, found);
      }
    }
  }
}

/** Undefined when there is nothing to hash, so that writes without passwords need not wait. */
export function hashPasswords(model: Model, schema: Schema, data: Data): Promise<Hashes> | undefined {
  const found = new Set<string>();
  collect(model, schema, data, found);
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind === "scalar" && attribute.type.secret && typeof attribute.definition.default === "string")
      found.add(attribute.definition.default);
  }
  if (found.size === 0) return undefined;
  if (found.size > MAX_PASSWORDS) throw validationError(`A request can set at most ${MAX_PASSWORDS} passwords`);
  return Promise.all([...found].map(async (password) => [password, await hashPassword(password)] as const)).then(
    (pairs) => new Map(pairs),
  );
}
