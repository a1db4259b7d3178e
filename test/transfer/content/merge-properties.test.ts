/** What holds of every merge, on random files; a failure names its seed. */
import { describe, expect, test } from "bun:test";
import { type Cell, type Cells, fileOfCells, listCells } from "../../../src/transfer/content/cells.ts";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import { readEntry } from "../../../src/transfer/content/entries.ts";
import { mergeFiles } from "../../../src/transfer/content/merge.ts";
import { formatPath } from "../../../src/transfer/content/paths.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { Random } from "../../random.ts";
import { isEmpty, RandomFiles, TEXTS } from "./random-file.ts";

const RUNS = 1_000;

/** Runs with files of its own seed. */
function each(check: (files: RandomFiles) => void): void {
  for (let seed = 0; seed < RUNS; seed++) {
    try {
      check(new RandomFiles(new Random(seed)));
    } catch (cause) {
      throw new Error(`seed ${seed}: ${(cause as Error).message}`, { cause });
    }
  }
}

const text = (value: unknown): string => readEntry(value).canonical;

const normalise = (file: ContentFile): ContentFile => fileOfCells(listCells(file));

/** Of a whole document, or of one list with many edits; some edits are the same on both sides. */
function makeTriple(files: RandomFiles): [ContentFile, ContentFile, ContentFile] {
  const { random } = files;
  const list = random.chance(0.5) ? random.pick(["tags", "parts", "zone", "body", "data"]) : undefined;
  const base: ContentFile = list ? { [list]: files.kinds[list]!() } : files.file();
  const edit = (file: ContentFile) => files.edit(file, random.below(5), list);
  const shared = random.chance(0.3) ? edit(base) : base;
  return [base, edit(shared), edit(shared)];
}

describe("a side without changes", () => {
  test.each([
    ["theirs", (base, other) => mergeFiles(base, other, base)],
    ["ours", (base, other) => mergeFiles(base, base, other)],
    ["none, both have the same", (base, other) => mergeFiles(base, other, other)],
  ] as [string, (base: ContentFile, other: ContentFile) => ReturnType<typeof mergeFiles>][])("%s", (_, merge) => {
    each((files) => {
      const base = files.file();
      for (const other of [files.edit(base), files.file()]) {
        const { file, conflicts } = merge(base, other);
        expect(conflicts).toEqual([]);
        expect(text(file)).toBe(text(normalise(other)));
      }
    });
  });
});

describe("cells", () => {
  /** Cells of attributes; null hides a value, so that it depends on another cell. */
  const attributeCells = (cells: Cells): Cell[] =>
    [...cells.values()].filter(
      ({ path, value }) => value !== null && !path.at(-1)!.startsWith("$") && path.at(-2) !== "$locales",
    );

  /** With other values; undefined: without the cell. */
  const write = (cells: Cells, changes: readonly Cell[]): ContentFile => {
    const changed = new Map(cells);
    for (const cell of changes) {
      if (cell.value === undefined) changed.delete(formatPath(cell.path));
      else changed.set(formatPath(cell.path), cell);
    }
    return fileOfCells(changed);
  };

  test("different ones never conflict, and are as one edit after the other, in both orders", () => {
    let edits = 0;
    each((files) => {
      const base = files.file();
      const cells = listCells(base);
      const added = Object.keys(files.kinds).filter((name) => !cells.has(formatPath([name])));
      const edited = [...attributeCells(cells), ...added.map((name) => ({ path: [name], value: undefined }))];
      const [ours, theirs]: [Cell[], Cell[]] = [[], []];
      for (const { path } of edited.filter(() => files.random.chance(0.3))) {
        // without a value, one of the published version is null or not there, which depends on the draft
        const isRemoved = !path.includes("$published") && files.random.chance(0.2);
        const value = isRemoved ? undefined : files.kinds[path.at(-1)!]!();
        if (!isEmpty(value)) files.random.pick([ours, theirs]).push({ path, value });
      }
      const { file, conflicts } = mergeFiles(base, write(cells, ours), write(cells, theirs));
      expect(conflicts).toEqual([]);
      expect(text(file)).toBe(text(write(listCells(write(cells, ours)), theirs)));
      expect(text(file)).toBe(text(write(listCells(write(cells, theirs)), ours)));
      edits += ours.length + theirs.length;
    });
    expect(edits).toBeGreaterThan(RUNS);
  });

  test("one that both sides change to different texts conflicts always", () => {
    each((files) => {
      const base: ContentFile = { ...files.file(), title: files.text() };
      const cells = listCells(base);
      const { path, value } = files.random.pick(attributeCells(cells).filter((cell) => typeof cell.value === "string"));
      const [ours, theirs] = [files.text(), files.text()];
      const ourFile = write(cells, [{ path, value: ours }]);
      const merged = mergeFiles(base, ourFile, write(cells, [{ path, value: theirs }]));
      expect(merged.conflicts).toEqual([{ path, base: value, ours, theirs }]);
      expect(text(merged.file)).toBe(text(ourFile));
    });
  });
});

describe("any edits", () => {
  test("exchanged sides have the same conflicts, and but for the order in lists the same file", () => {
    each((files) => {
      const [base, ours, theirs] = makeTriple(files);
      const [one, other] = [mergeFiles(base, ours, theirs), mergeFiles(base, theirs, ours)];
      const exchanged = other.conflicts.map((conflict) => ({
        ...conflict,
        ours: conflict.theirs,
        theirs: conflict.ours,
      }));
      // numbers of entries differ with what was appended before them
      const comparable = (list: typeof one.conflicts) =>
        list
          .map(({ path, ...sides }) => text({ ...sides, path: path.filter((part) => typeof part === "string") }))
          .sort();
      expect(comparable(one.conflicts)).toEqual(comparable(exchanged));
      if (one.conflicts.length === 0) expect(text(sortLists(one.file))).toBe(text(sortLists(other.file)));
    });
  });

  test("lose and double nothing that a side added, and keep nothing that a side removed, without a conflict", () => {
    const seen = { added: 0, removed: 0, conflicts: 0 };
    each((files) => {
      const [base, ours, theirs] = makeTriple(files);
      const { file, conflicts } = mergeFiles(base, ours, theirs);
      const reported = JSON.stringify(conflicts);
      const [before, our, their, merged] = [base, ours, theirs, file].map((each) => countTexts(each));
      for (const key of new Set([...our!.keys(), ...their!.keys()])) {
        const [a, b, c] = [our!, their!, before!].map((counts) => counts.get(key) ?? 0) as [number, number, number];
        const count = merged!.get(key) ?? 0;
        // an entry that both added and one changed is two entries
        if (c > 0 || Math.min(a, b) === 0) expect(count).toBeLessThanOrEqual(Math.max(a, b));
        // only what was not in the base, and is not in the published version alone, which may be deleted
        if (c === 0 && !isPublishedText(key)) {
          seen.added++;
          if (count === 0) expect(reported).toContain(textOfKey(key));
        }
        if (c > 0 && Math.min(a, b) === 0) {
          seen.removed++;
          if (count > 0) expect(conflicts).not.toEqual([]);
        }
      }
      seen.conflicts += conflicts.length;
    });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS / 20);
  });

  test("are merged into a file that can be merged again", () => {
    each((files) => {
      const [base, ours, theirs] = makeTriple(files);
      const { file } = mergeFiles(base, ours, theirs);
      expect(text(normalise(file!))).toBe(text(file));
      expect(mergeFiles(ours, file, ours)).toEqual({ file, conflicts: [] });
    });
  });
});

test("10,000 merges take less than 3 s of processor time", async () => {
  const files = new RandomFiles(new Random(7));
  const triples = Array.from({ length: 10_000 }, () => makeTriple(files));
  const time = await quickest(3_000, async () => {
    const start = threadTime();
    for (const triple of triples) mergeFiles(...triple);
    return threadTime() - start;
  });
  expect(time).toBeLessThan(3_000);
});

function sortLists(value: unknown): never {
  if (Array.isArray(value)) return value.map(sortLists).sort((a, b) => (text(a) < text(b) ? -1 : 1)) as never;
  if (typeof value !== "object" || value === null) return value as never;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, sortLists(field)])) as never;
}

/** How often each unique text is in each cell. */
function countTexts(file: ContentFile | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [key, { value }] of file ? listCells(file) : []) {
    for (const [found] of JSON.stringify(value).matchAll(TEXTS)) {
      const name = `${key} ${found}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

const isPublishedText = (key: string): boolean => key.includes("$published");
const textOfKey = (key: string): string => key.split(" ").at(-1)!;
