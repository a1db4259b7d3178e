/** Merges random pairs of edits with git, many documents at a time. */
import type { ContentFile } from "../../src/transfer/content/content-file.ts";
import { diffFiles } from "../../src/transfer/content/diff.ts";
import { type FileForm, parseFile, printFile } from "../../src/transfer/content/file-text.ts";
import { rebaseFile, sameFiles } from "../../src/transfer/content/rebase.ts";
import { Random } from "../../test/random.ts";
import { RandomFiles } from "../../test/transfer/content/random-file.ts";
import { Repository } from "./repository.ts";

export interface Figures {
  /** Pairs of edits of different fields: merged without a conflict, to what one edit after the other makes. */
  readonly different: number;
  /** Pairs of edits of the same field: a conflict that shows both values. */
  readonly same: number;
  /** Pairs of edits of different documents: merged without the driver. */
  readonly apart: number;
  readonly failures: readonly string[];
}

/** Pairs in one merge. */
const PAIRS = 20;
/** Attributes whose values are merged as one, and how to set one. */
const SINGLE: readonly (readonly string[])[] = [
  ["title"],
  ["count"],
  ["author"],
  ["other"],
  ["a.b"],
  ["seo", "title"],
  ["data", "deep", "a"],
];
const FORMS = {
  yaml: { kind: "yaml" },
  md: { kind: "markdown", body: "text" },
  json: { kind: "json" },
} as const satisfies Record<string, FileForm>;

type Mapping = Record<string, unknown>;

interface Document {
  readonly path: string;
  readonly form: FileForm;
  readonly base: ContentFile;
  readonly text: string;
}

interface Pair extends Document {
  readonly ours: ContentFile;
  readonly theirs: ContentFile;
}

class Pairs {
  readonly #random: Random;
  readonly #files: RandomFiles;

  constructor(random: Random) {
    this.#random = random;
    this.#files = new RandomFiles(random);
  }

  document(index: number): Document {
    const extension = this.#random.pick(Object.keys(FORMS)) as keyof typeof FORMS;
    const form = FORMS[extension];
    const file: Mapping = { ...this.#files.file() };
    if (extension === "md") file.text = `# ${this.#files.text()}\n\n${this.#files.text()}\n${this.#files.text()}`;
    for (const [name, make] of Object.entries({ seo: this.#files.kinds.seo!, data: this.#files.kinds.data! }))
      file[name] ??= make();
    const printed = printFile(file as ContentFile, form);
    const isCommented = form.kind !== "json" && this.#random.chance(0.5);
    const text = isCommented ? printed.replace(/^(\$createdAt: .*)$/m, "# when it was made\n$1 # UTC") : printed;
    return { path: `content/articles/${index}.${extension}`, form, base: parseFile(text, form), text };
  }

  /** Later than all times of the base. */
  #touched(file: ContentFile): ContentFile {
    return { ...file, $updatedAt: new Date(1_800_000_000_000 + this.#random.below(1_000_000_000)).toISOString() };
  }

  #editOf({ base }: Document, name: string): ContentFile {
    for (;;) {
      const isText = name === "text";
      // overrides of a published version would be edited instead
      const edited = isText
        ? { ...base, text: `${base.text}\n${this.#files.text()}` }
        : {
            ...this.#files.edit({ ...base, $published: undefined } as ContentFile, 1, name),
            $published: base.$published,
          };
      if (base.$published === undefined) delete (edited as Mapping).$published;
      if (diffFiles(base, edited as ContentFile).length > 0) return this.#touched(edited as ContentFile);
    }
  }

  different(index: number): Pair {
    const document = this.document(index);
    const names = [...Object.keys(this.#files.kinds), ...(document.form.kind === "markdown" ? ["text"] : [])];
    const name = this.#random.pick(names);
    const other = this.#random.pick(names.filter((each) => each !== name));
    return { ...document, ours: this.#editOf(document, name), theirs: this.#editOf(document, other) };
  }

  same(index: number): Pair {
    const document = this.document(index);
    const path = document.form.kind === "markdown" && this.#random.chance(0.3) ? ["text"] : this.#random.pick(SINGLE);
    const edit = (): ContentFile => this.#touched(withValue(document.base, path, this.#files.text()));
    return { ...document, ours: edit(), theirs: edit() };
  }

  many(make: (index: number) => Pair): Pair[] {
    return Array.from({ length: PAIRS }, (_, index) => make(index));
  }
}

function withValue(value: object, [key, ...rest]: readonly string[], text: string): ContentFile {
  const inner = (value as Mapping)[key!];
  return { ...value, [key!]: rest.length === 0 ? text : withValue(inner as object, rest, text) } as ContentFile;
}

const printAll = (pairs: readonly Pair[], side: "ours" | "theirs"): Map<string, string> =>
  new Map(pairs.map((pair) => [pair.path, printFile(pair[side], pair.form, pair.text)]));
const baseOf = (pairs: readonly Document[]): Map<string, string> =>
  new Map(pairs.map(({ path, text }) => [path, text]));

function withRepository<T>(work: (repository: Repository) => T): T {
  const repository = new Repository();
  try {
    return work(repository);
  } finally {
    repository.remove();
  }
}

/** What is wrong with the merge of edits of different fields. */
const mergeDifferent = (pairs: readonly Pair[]): string[] =>
  withRepository((repository) => {
    repository.setUp();
    const { conflicts } = repository.merge(baseOf(pairs), printAll(pairs, "ours"), printAll(pairs, "theirs"));
    return pairs.flatMap(({ path, form, base, ours, theirs, text }) => {
      if (conflicts.has(path)) return [`${path}: conflict\n${repository.read(path)}`];
      const merged = repository.read(path);
      if (text.includes("# UTC") && !merged.includes("# UTC")) return [`${path}: the comment is lost`];
      const serial = rebaseFile(ours, base, theirs);
      const differences = diffFiles(serial, parseFile(merged, form));
      return differences.length === 0 ? [] : [`${path}: ${JSON.stringify(differences)}`];
    });
  });

/** Either side of the conflicts. */
const resolve = (text: string, side: "ours" | "theirs"): string =>
  text.replace(/^<{7}.*\r?\n([\s\S]*?)^={7}\r?\n([\s\S]*?)^>{7}.*\r?\n/gm, side === "ours" ? "$1" : "$2");

const mergeSame = (pairs: readonly Pair[]): string[] =>
  withRepository((repository) => {
    repository.setUp();
    const { conflicts } = repository.merge(baseOf(pairs), printAll(pairs, "ours"), printAll(pairs, "theirs"));
    return pairs.flatMap(({ path, form, ours, theirs }) => {
      if (!conflicts.has(path)) return [`${path}: no conflict`];
      const text = repository.read(path);
      const isSide = (side: "ours" | "theirs", file: ContentFile): boolean =>
        sameFiles(parseFile(resolve(text, side), form), file);
      return isSide("ours", ours) && isSide("theirs", theirs) ? [] : [`${path}: a side is lost\n${text}`];
    });
  });

const mergeApart = (pairs: readonly Pair[]): string[] =>
  withRepository((repository) => {
    const [our, their] = [pairs.filter((_, index) => index % 2 === 0), pairs.filter((_, index) => index % 2 === 1)];
    const { isClean, output } = repository.merge(baseOf(pairs), printAll(our, "ours"), printAll(their, "theirs"));
    return isClean ? [] : [output];
  });

/** `pairs`: of each kind. */
export function run(pairs: number, seed: number): Figures {
  const random = new Random(seed);
  const failures: string[] = [];
  const merges = Math.ceil(pairs / PAIRS);
  for (let merge = 0; merge < merges; merge++) {
    const made = new Pairs(random);
    failures.push(
      ...mergeDifferent(made.many((index) => made.different(index))),
      ...mergeSame(made.many((index) => made.same(index))),
      ...mergeApart(made.many((index) => made.different(index))),
    );
  }
  const count = merges * PAIRS;
  return { different: count, same: count, apart: count, failures };
}
