/** All types and components of the project, beside the one that is open. */
import type { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { compareNames } from "../../compare-names.ts";
import { hrefTo } from "../../router.ts";
import { typeSign } from "../../type-sign.ts";
import { Icon } from "../../widgets/icon.tsx";
import { NameFilter } from "../../widgets/name-filter.tsx";
import { NEW_COMPONENT, NEW_TYPE } from "./draft.ts";
import type { Schemas } from "./schemas.ts";
import { TypeIcon } from "./type-icon.tsx";
import { changedNames } from "./unsaved-drafts.ts";

interface Entry {
  readonly name: string;
  readonly label: string;
  readonly icon: ComponentChild;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function createGroups({ types, components }: Schemas): Group[] {
  const entry = ({ uid, schema }: Schemas["types"][number]): Entry => ({
    name: uid,
    label: schema.displayName,
    icon: <Icon name={typeSign(schema)} />,
  });
  const part = ({ uid, schema }: Schemas["components"][number]): Entry => ({
    name: uid,
    label: schema.displayName,
    icon: <TypeIcon type="component" />,
  });
  const own = types.filter(({ plugin }) => plugin === undefined);
  const byCategory = Map.groupBy(components, ({ category }) => category);
  const groups = [
    { title: "Collection types", entries: own.filter(({ schema }) => schema.kind === "collectionType").map(entry) },
    { title: "Single types", entries: own.filter(({ schema }) => schema.kind === "singleType").map(entry) },
    { title: "From plugins", entries: types.filter(({ plugin }) => plugin !== undefined).map(entry) },
    ...[...byCategory]
      .toSorted(([a], [b]) => compareNames(a, b))
      .map(([category, items]) => ({ title: `Components: ${category}`, entries: items.map(part) })),
  ];
  return groups
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) => ({ title, entries: entries.toSorted((a, b) => compareNames(a.label, b.label)) }));
}

export interface TypeListProps {
  readonly schemas: Schemas;
  /** The uid of the open one. */
  readonly current: string | undefined;
  readonly canChange: boolean;
}

/** With more types and components than this, they are found by name as well. */
const MANY = 20;

export function TypeList({ schemas, current, canChange }: TypeListProps) {
  const [text, setText] = useState("");
  const list = useRef<HTMLElement>(null);
  useEffect(() => list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [current]);
  const wanted = text.trim().toLowerCase();
  const isFound = ({ name, label }: Entry): boolean =>
    label.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
  const groups = createGroups(schemas)
    .map(({ title, entries }) => ({ title, entries: entries.filter(isFound) }))
    .filter(({ entries }) => entries.length > 0);
  const link = ({ name, label, icon }: Entry) => (
    <li key={name}>
      <a class="nav-link" href={hrefTo("types", [name])} aria-current={name === current ? "page" : undefined}>
        {icon}
        <span class="one-line">{label}</span>
        {changedNames.value.has(name) ? <span class="badge">changed</span> : null}
      </a>
    </li>
  );
  return (
    <nav class="stack type-list" aria-label="Types and components" ref={list}>
      {canChange ? (
        <ul>
          {[
            { name: NEW_TYPE, label: "New content-type", icon: <Icon name="add" /> },
            { name: NEW_COMPONENT, label: "New component", icon: <Icon name="add" /> },
          ].map(link)}
        </ul>
      ) : null}
      {schemas.types.length + schemas.components.length > MANY ? (
        <NameFilter label="Find by name" value={text} onChange={setText} />
      ) : null}
      {groups.length === 0 ? <p class="hint nav-title">Nothing has this name.</p> : null}
      {groups.map(({ title, entries }) => (
        <section key={title}>
          <h2 class="hint nav-title">{title}</h2>
          <ul>{entries.map(link)}</ul>
        </section>
      ))}
    </nav>
  );
}
