/** A relation as a sentence and a picture: "an Article has many Tags; a Tag belongs to many Articles". */
import { toPlural } from "./draft.ts";

interface Ends {
  /** How many documents a document links to, and how many link to the same one. */
  readonly targets: "one" | "many";
  readonly sources: "none" | "one" | "many";
}

/** The relations whose target is one content-type. */
const ends: Readonly<Record<string, Ends>> = {
  oneToOne: { targets: "one", sources: "one" },
  oneToMany: { targets: "many", sources: "one" },
  manyToOne: { targets: "one", sources: "many" },
  manyToMany: { targets: "many", sources: "many" },
};

const withArticle = (name: string): string => `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
const plural = (name: string): string => toPlural(name) || "documents";

interface RelationProps {
  readonly relation: string;
  readonly source: string;
  readonly target: string;
  /** Whether the other side has an attribute for it. */
  readonly isTwoWay: boolean;
}

export function relationSentence({ relation, source, target, isTwoWay }: RelationProps): string | undefined {
  const end = ends[relation];
  if (!end) return undefined;
  const has = end.targets === "one" ? `has one ${target}` : `has many ${plural(target)}`;
  const first = `${withArticle(source)} ${has}`;
  if (!isTwoWay) return `${first}, which ${end.targets === "one" ? "does" : "do"} not know of it`;
  const belongs = end.sources === "one" ? withArticle(source) : `many ${plural(source)}`;
  return `${first}; ${withArticle(target)} belongs to ${belongs}`;
}

const MANY = [6, 16, 26];
const ONE = [16];

const dots = (end: "one" | "many"): readonly number[] => (end === "one" ? ONE : MANY);

export function RelationPicture({ relation }: { readonly relation: string }) {
  const end = ends[relation];
  if (!end) return null;
  const left = dots(end.sources === "many" ? "many" : "one");
  const right = dots(end.targets);
  return (
    <svg class="icon relation-picture" viewBox="0 0 72 32" width="72" height="32" aria-hidden="true" focusable="false">
      {left.flatMap((from) => right.map((to) => <path key={`${from} ${to}`} d={`M10 ${from}L62 ${to}`} />))}
      {left.map((y) => (
        <circle key={y} cx="8" cy={y} r="4" />
      ))}
      {right.map((y) => (
        <circle key={y} cx="64" cy={y} r="4" />
      ))}
    </svg>
  );
}
