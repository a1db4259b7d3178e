/** The change of a file, line by line, with a few unchanged lines around what changes. */
import { type DiffLine, diffLines } from "./line-diff.ts";

interface DiffProps {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const CONTEXT = 3;
const marks = { same: " ", removed: "−", added: "+" } as const;
const names = { same: "", removed: "Removed: ", added: "Added: " } as const;

/** Runs of unchanged lines that are far from a change are left out. */
function shownLines(lines: readonly DiffLine[]): readonly (DiffLine | "gap")[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap<DiffLine | "gap">((line, index) => {
    if (isNear[index]) return [line];
    return index === 0 || isNear[index - 1] ? ["gap"] : [];
  });
}

interface DiffLinesProps extends Omit<DiffProps, "file"> {
  readonly label: string;
  /** Long lines are wrapped instead of scrolled. */
  readonly isProse?: boolean;
}

export function DiffLines({ label, before, after, isProse = false }: DiffLinesProps) {
  const lines = shownLines(diffLines(before, after));
  const hasChange = lines.some((line) => line !== "gap" && line.kind !== "same");
  if (!hasChange) return <p class="muted">No changes.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class={isProse ? "diff-lines diff-prose" : "diff-lines"} aria-label={label} tabIndex={0}>
      {lines.map((line, index) =>
        line === "gap" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <div key={index} class="diff-gap">
            …
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <div key={index} class={`diff-line diff-${line.kind}`}>
            <span aria-hidden="true">{marks[line.kind]}</span>
            <span class="visually-hidden">{names[line.kind]}</span>
            <code>{line.text}</code>
          </div>
        ),
      )}
    </section>
  );
}

export const Diff = ({ file, before, after }: DiffProps) => (
  <figure class="diff">
    <figcaption>
      <code>{file}</code>
    </figcaption>
    <DiffLines label={`Changes to ${file}`} before={before} after={after} />
  </figure>
);
