/** The differences of a document, field by field. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { countText } from "../count-text.ts";
import type { Attribute } from "../model.ts";
import { DiffLines } from "../widgets/diff.tsx";
import type { ShownDifference, ShownEntries } from "./answers.ts";
import { nameOfPlace, valueWords } from "./words.ts";

/** Texts of more characters, or of several lines, are compared by line. */
const MAX_INLINE = 80;

/** Whether the values of a field are links to documents. */
const IsRelation = createContext(false);

const Value = ({ value }: { readonly value: unknown }) => {
  const words = valueWords(value, useContext(IsRelation));
  return words === undefined ? <span class="muted">empty</span> : <span dir="auto">{words}</span>;
};

function ValueChange({ before, after }: Pick<ShownDifference, "before" | "after">) {
  return (
    <p class="change-values">
      <span class="visually-hidden">Before: </span>
      <del>
        <Value value={before} />
      </del>
      <span aria-hidden="true">→</span>
      <span class="visually-hidden">, now: </span>
      <ins>
        <Value value={after} />
      </ins>
    </p>
  );
}

function EntryChanges({ entries, label }: { readonly entries: ShownEntries; readonly label: string }) {
  const { added, removed, moved, changed, more } = entries;
  return (
    <ul class="change-entries">
      {added.map(({ index, value }) => (
        <li key={`added ${index}`}>
          <b>Added</b> at {index + 1}: <Value value={value} />
        </li>
      ))}
      {removed.map(({ index, value }) => (
        <li key={`removed ${index}`}>
          <b>Removed</b> from {index + 1}: <Value value={value} />
        </li>
      ))}
      {moved.map(({ from, to, value }) => (
        <li key={`moved ${from}`}>
          <b>Moved</b> from {from + 1} to {to + 1}: <Value value={value} />
        </li>
      ))}
      {changed.map(({ from, to, differences }) => (
        <li key={`changed ${from}`}>
          <b>Changed</b> {label} {to + 1}
          <Differences differences={differences} />
        </li>
      ))}
      {more > 0 ? <li class="muted">And {countText(more, "more change")}</li> : null}
    </ul>
  );
}

function Change({ difference, label }: { readonly difference: ShownDifference; readonly label: string }) {
  const { before, after, entries } = difference;
  if (entries) return <EntryChanges entries={entries} label={label} />;
  if (typeof before === "string" && typeof after === "string") {
    if (before === after) return <p class="muted">The format of the text has changed.</p>;
    const isLong = [before, after].some((text) => text.length > MAX_INLINE || text.includes("\n"));
    if (isLong) return <DiffLines label={`Changes to ${label}`} before={before} after={after} isProse />;
  }
  return <ValueChange before={before} after={after} />;
}

/** A version or a single value of no text. */
function VersionChange({ before, after }: ShownDifference) {
  if (before === undefined) return <p>Added</p>;
  return <p>{after === undefined ? "Removed" : "Changed"}</p>;
}

interface DifferencesProps {
  readonly differences: readonly ShownDifference[];
  /** Of the type; undefined within entries. */
  readonly attributes?: Readonly<Record<string, Attribute>> | undefined;
}

export const Differences = ({ differences, attributes = {} }: DifferencesProps) => (
  <dl class="stack change-list">
    {differences.map((difference) => {
      const { label, version, isVersion } = nameOfPlace(difference.path);
      return (
        <div key={JSON.stringify(difference.path)}>
          <dt>
            {label}
            {version === undefined ? null : <span class="muted"> {version}</span>}
            {difference.isPublished ? <span class="muted"> also published</span> : null}
          </dt>
          <dd>
            <IsRelation.Provider value={attributes[String(difference.path.at(-1))]?.type === "relation"}>
              {isVersion ? <VersionChange {...difference} /> : <Change difference={difference} label={label} />}
            </IsRelation.Provider>
          </dd>
        </div>
      );
    })}
  </dl>
);
