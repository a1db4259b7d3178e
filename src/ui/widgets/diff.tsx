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

export function Diff({ file, before, after }: DiffProps) {
  const lines = shownLines(diffLines(before, after));
  const hasChange = lines.some((line) => line !== "gap" && line.kind !== "same");
  return (
    <figure class="diff">
      <figcaption>
        <code>{file}</code>
      </figcaption>
      {hasChange ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <section class="diff-lines" aria-label={`Changes to ${file}`} tabIndex={0}>
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
      ) : (
        <p class="muted">No changes.</p>
      )}
    </figure>
  );
}
