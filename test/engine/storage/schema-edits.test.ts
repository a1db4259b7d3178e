/** Random schema edits: every sequence can be applied, and no value is lost. */
import { expect, test } from "bun:test";
import {
  isScalarTypeName,
  type ScalarTypeName,
  type SqlValue,
  scalarTypes,
} from "../../../src/engine/attributes/index.ts";
import { changedValue, convert, readSql } from "../../../src/engine/storage/conversions.ts";
import type { Column, Layout, Table } from "../../../src/engine/storage/layout.ts";
import { migrate } from "../../../src/engine/storage/migrate.ts";
import { quote } from "../../../src/engine/storage/sql.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { Random } from "../../random.ts";
import { fixtures } from "../attributes/fixtures.ts";

const names = Object.keys(scalarTypes).filter(isScalarTypeName);
const column = (type: string, indexed = false): Column => ({
  type,
  affinity: scalarTypes[type as ScalarTypeName].column.affinity,
  indexed,
});

function createTable(uid: string, columns: Record<string, Column>, fields: readonly string[] = []): Table {
  return { uid, modelType: "contentType", draftAndPublish: false, localized: false, columns, fields };
}

function insert(storage: Storage, table: string, values: Readonly<Record<string, SqlValue>>): number {
  const all = { document_id: "d", status: "published", created_at: "", updated_at: "", ...values };
  const columns = Object.keys(all).map(quote).join(", ");
  const marks = Object.keys(all)
    .map(() => "?")
    .join(", ");
  return storage.run(`INSERT INTO ${quote(table)} (${columns}) VALUES (${marks})`, Object.values(all)).id;
}

interface Type {
  uid: string;
  table: string;
  columns: Record<string, Column>;
}

// names that are also made for indexes, that differ by case alone, and that objects inherit
const TABLES = ["posts", "Posts", "stories", "notes", "posts_document", "posts$1", "a.b", "constructor"];
const UIDS = ["api::post.post", "api::story.story", "api::note.note"];
const COLUMNS = ["title", "Title", "size", "constructor", "toString", "status_"];

/** Every type has a relation to every type. */
const fieldOf = ({ table }: Pick<Type, "table">, target: Type): string =>
  `${table}.to_${UIDS.indexOf(target.uid)}>${target.table}`;

/** A layout as a schema could make it: neither tables nor columns of one table differ by case alone. */
function createLayout(types: readonly Type[]): Layout {
  return Object.fromEntries(
    types.map(({ uid, table, columns }) => [
      table,
      createTable(
        uid,
        columns,
        types.map((target) => fieldOf({ table }, target)),
      ),
    ]),
  );
}

const isOpen = (types: readonly Type[], table: string, self?: Type): boolean =>
  types.every((type) => type === self || type.table.toLowerCase() !== table.toLowerCase()) &&
  // refused with a message, which another test is about
  !(/^posts/i.test(table) && types.some((type) => type !== self && /^posts/i.test(type.table)));

type Edit = (random: Random, types: Type[]) => void;

const setTable: Edit = (random, types) => {
  const type = random.pick(types);
  const table = random.pick(TABLES);
  if (type && isOpen(types, table, type)) type.table = table;
};
const swapTables: Edit = (_random, types) => {
  const [a, b] = types;
  if (a && b) [a.table, b.table] = [b.table, a.table];
};
const setColumn: Edit = (random, types) => {
  const type = random.pick(types);
  const name = random.pick(COLUMNS);
  if (!type) return;
  const others = Object.entries(type.columns).filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  type.columns = Object.fromEntries([...others, [name, column(random.pick(names), random.chance(0.3))]]);
};
const removeColumn: Edit = (random, types) => {
  const type = random.pick(types);
  if (!type) return;
  const gone = random.pick(Object.keys(type.columns));
  type.columns = Object.fromEntries(Object.entries(type.columns).filter(([name]) => name !== gone));
};
const addType: Edit = (random, types) => {
  const uid = random.pick(UIDS);
  const table = random.pick(TABLES);
  if (types.some((type) => type.uid === uid) || !isOpen(types, table)) return;
  types.push({ uid, table, columns: Object.fromEntries([["title", column("string")]]) });
};
const removeType: Edit = (random, types) => {
  if (types.length > 0) types.splice(random.below(types.length), 1);
};
const renameType: Edit = (random, types) => {
  const type = random.pick(types);
  const uid = random.pick(UIDS);
  if (type && types.every((other) => other.uid !== uid)) type.uid = uid;
};

/** Every text of the whole database. */
function everything(storage: Storage): Set<string> {
  const tables = storage.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'galley%'").flat();
  return new Set(
    tables.flatMap((table) =>
      storage
        .all(`SELECT * FROM ${quote(table as string)}`)
        .flat()
        .map(String),
    ),
  );
}

test("applies any sequence of edits without losing values", () => {
  const random = new Random(1718);
  const edits = [
    setTable,
    setTable,
    swapTables,
    setColumn,
    setColumn,
    removeColumn,
    addType,
    addType,
    removeType,
    renameType,
  ];
  for (let sequence = 0; sequence < 25; sequence++) {
    const storage = Storage.open(":memory:");
    const types: Type[] = [];
    const written: string[] = [];
    for (let step = 0; step < 25; step++) {
      for (let count = random.below(3); count >= 0; count--) random.pick(edits)(random, types);
      migrate(storage, createLayout(types), "en");
      for (const { table, columns } of types) {
        const text = Object.keys(columns).find((name) => columns[name]?.type === "string");
        if (text === undefined) continue;
        const token = `token ${written.length}`;
        insert(storage, table, { [text]: token });
        written.push(token);
      }
    }
    const there = everything(storage);
    expect(written.filter((token) => !there.has(token))).toEqual([]);
    storage.close();
  }
});

test("keeps rows and links when tables and attributes are renamed", () => {
  const random = new Random(99);
  for (let sequence = 0; sequence < 15; sequence++) {
    const storage = Storage.open(":memory:");
    const types = UIDS.slice(0, 2).map((uid, index) => ({
      uid,
      table: TABLES[index * 2]!,
      columns: Object.fromEntries([["kept", column("string")]]),
    }));
    const rows = new Map<string, string[]>(UIDS.map((uid) => [uid, []]));
    const fields = () => types.flatMap((type) => types.map((target) => storage.number(fieldOf(type, target))));
    let numbers: number[] | undefined;
    for (let step = 0; step < 15; step++) {
      random.pick([setTable, setTable, swapTables, setColumn, removeColumn])(random, types);
      for (const type of types) type.columns = { ...type.columns, kept: column("string") };
      migrate(storage, createLayout(types), "en");
      for (const { uid, table } of types) {
        const before = rows.get(uid)!;
        expect(storage.all(`SELECT kept FROM ${quote(table)} ORDER BY id`).flat()).toEqual(before);
        before.push(`${sequence} ${step}`);
        insert(storage, table, { kept: before.at(-1)! });
      }
      // links know their field by its number
      numbers ??= fields();
      expect(fields()).toEqual(numbers);
    }
    storage.close();
  }
});

test("refuses tables with the name of an index, without any change", () => {
  const storage = Storage.open(":memory:");
  const posts = { uid: "api::post.post", table: "posts", columns: {} };
  migrate(storage, createLayout([posts]), "en");
  const other = { uid: "api::note.note", table: "Posts_Version", columns: {} };
  expect(() => migrate(storage, createLayout([posts, other]), "en")).toThrow(
    'api::note.note: collectionName: "Posts_Version" is the name of an index of "posts"',
  );
  migrate(storage, createLayout([posts]), "en");
  storage.close();
});

test("refuses too many columns, including those of removed attributes", () => {
  const storage = Storage.open(":memory:");
  const columns = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, column("integer")]));
  const of = (own: Record<string, Column>): Layout => ({ posts: createTable("api::post.post", own) });
  expect(() => migrate(storage, of(columns("a", 2100)), "en")).toThrow(
    "api::post.post: attributes: 2100 columns are more than a table can have",
  );
  migrate(storage, of(columns("a", 1500)), "en");
  expect(() => migrate(storage, of(columns("b", 600)), "en")).toThrow("removed attributes count");
  migrate(storage, of(columns("a", 1400)), "en");
  storage.close();
});

/** The stored form of what a fixture sends. */
function storedValues(type: ScalarTypeName): SqlValue[] {
  const { cast, store } = scalarTypes[type] as (typeof scalarTypes)["string"];
  return fixtures[type].accepted.map(([sent]) =>
    store((cast as ((value: unknown) => unknown) | undefined)?.(sent) ?? sent),
  );
}

/** What a table has in a column now, by row. */
const read = (storage: Storage, type: ScalarTypeName): SqlValue[] =>
  storage.all(`SELECT ${readSql("value", type)} FROM posts ORDER BY id`).flat();

/** A type that values are written with, others that the attribute has afterwards, and the first one again. */
function thereAndBack(types: readonly [ScalarTypeName, ...ScalarTypeName[]]): void {
  const storage = Storage.open(":memory:");
  const [first] = types;
  const become = (type: ScalarTypeName) =>
    migrate(storage, { posts: createTable("api::post.post", { value: column(type) }) }, "en");
  become(first);
  const texts = ["007", "0", "false", "2024-02-29T10:30", " 7 ", "1e3", "abc", '{ "a" : 1 }', "null"];
  const values = [...storedValues(first), ...(first === "string" ? texts : [])];
  for (const value of values) insert(storage, "posts", { value });
  const before = read(storage, first);
  for (const type of [...types.slice(1), first]) become(type);
  expect({ types, values: read(storage, first) }).toEqual({ types, values: before });
  storage.close();
}

test("restores values when an attribute gets its old type back, for every pair of types", () => {
  for (const from of names) for (const to of names) if (from !== to) thereAndBack([from, to]);
});

test("restores values over several changes of type", () => {
  const random = new Random(7);
  for (let round = 0; round < 60; round++) {
    const types: [ScalarTypeName, ...ScalarTypeName[]] = [random.pick(names)];
    for (let count = 2 + random.below(4); count > 0; count--) {
      const next = random.pick(names.filter((name) => name !== types.at(-1)));
      types.push(next);
    }
    if (types.at(-1) === types[0]) types.pop();
    thereAndBack(types);
  }
});

test("keeps a value that was edited in between, if it can be converted", () => {
  for (const from of names) {
    for (const to of names) {
      const [original] = storedValues(from);
      for (const edited of storedValues(to)) {
        if (from === to || original === undefined || original === null || edited === null) continue;
        const derived = convert(original, from, to) ?? null;
        if (String(derived) === String(edited)) continue;
        // an edit that says the same as the original cannot be told from it
        const values = new Map<string, SqlValue>([
          [to, typeof edited === "bigint" ? String(edited) : edited],
          [from, original],
        ]);
        const expected = convert(values.get(to)!, to, from);
        expect({ from, to, edited, value: changedValue(values, to, from) }).toEqual({
          from,
          to,
          edited,
          value: expected,
        });
      }
    }
  }
});

test("never converts password hashes to other types, nor strings to hashes", () => {
  for (const type of names) {
    if (type === "password") continue;
    expect(convert("$2b$10$hash", "password", type)).toBeUndefined();
    for (const value of storedValues(type))
      if (value !== null) expect(convert(value, type, "password")).toBeUndefined();
  }
});
