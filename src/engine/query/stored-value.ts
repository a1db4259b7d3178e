/** Reads stored values. One that cannot be read, of damage or of another program, is returned as null and logged once. */
import type { ScalarType, SqlValue } from "../attributes/index.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";

/** Throws an Error for a value that cannot be read. */
function decode({ name, load }: ScalarType, stored: SqlValue): unknown {
  if (load) return load(stored);
  // a blob, which no write of this type stores
  if (typeof stored === "object" && stored !== null) throw new Error(`a ${name} is not stored as bytes`);
  return stored;
}

export function isReadable(type: ScalarType, stored: SqlValue): boolean {
  try {
    decode(type, stored);
    return true;
  } catch {
    return false;
  }
}

/** Logged values per attribute. */
const MAX_LOGGED = 20;

/** Ids of the rows whose values were logged, by type and attribute. */
const logged = new Map<string, Set<number>>();

function report(uid: string, { name, type }: ScalarAttribute, id: number): void {
  const rows = logged.getOrInsertComputed(`${uid} ${name}`, () => new Set());
  if (rows.has(id) || rows.size >= MAX_LOGGED) return;
  rows.add(id);
  const more = rows.size === MAX_LOGGED ? "; further ones of this attribute are not logged" : "";
  console.error(
    `galley: ${uid}, row ${id}: what is stored as "${name}" is not a valid ${type.name}, and is returned as null (galley doctor finds all)${more}`,
  );
}

export function loadValue({ uid }: Schema, attribute: ScalarAttribute, id: number, stored: SqlValue): unknown {
  try {
    return decode(attribute.type, stored);
  } catch {
    report(uid, attribute, id);
    return null;
  }
}
