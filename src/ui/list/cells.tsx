/** Renders the values of a list, by attribute type. */
import type { ComponentChildren } from "preact";
import { type Attribute, findType } from "../model.ts";
import { siteUrl } from "../page-paths.ts";
import { type Person, personName } from "../person-name.ts";
import { Icon } from "../widgets/icon.tsx";
import { Localized } from "../widgets/localized.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import type { Row } from "./rows.ts";

interface Cell {
  readonly show: (value: unknown, attribute: Attribute, row: Row) => ComponentChildren;
  /** In pixels; absent: takes its share of what is left. */
  readonly width?: number;
}

const MAX_TEXT = 200;

const text: Cell = { show: (value) => String(value).slice(0, MAX_TEXT) };
const number: Cell = { show: (value) => String(value), width: 110 };

const asDate = (options: Intl.DateTimeFormatOptions, width: number): Cell => {
  // created on first use, since it takes milliseconds
  let format: Intl.DateTimeFormat | undefined;
  const formatDate = (date: Date): string => {
    format ??= new Intl.DateTimeFormat(undefined, options);
    return format.format(date);
  };
  return {
    show: (value) => {
      const date = new Date(String(value));
      if (Number.isNaN(date.getTime())) return String(value);
      return <Localized text={() => formatDate(date)} />;
    },
    width,
  };
};

const datetime = asDate({ dateStyle: "medium", timeStyle: "short" }, 200);

interface File {
  readonly name: string;
  readonly url: string;
  readonly mime: string;
  readonly alternativeText?: string | null;
  readonly formats?: { readonly thumbnail?: { readonly url: string } } | null;
}

const isImage = ({ mime }: File): boolean => mime.startsWith("image/");

function Files({ files }: { readonly files: readonly File[] }) {
  const [first] = files;
  if (!first) return null;
  const more = files.length > 1 ? <span class="muted"> +{files.length - 1}</span> : null;
  if (!isImage(first))
    return (
      <>
        {first.name}
        {more}
      </>
    );
  return (
    <>
      <img
        class="cell-image"
        src={siteUrl(first.formats?.thumbnail?.url ?? first.url)}
        alt={first.alternativeText ?? ""}
      />
      {more}
    </>
  );
}

function Related({ value, attribute }: { readonly value: unknown; readonly attribute: Attribute }) {
  const count = Array.isArray(value) ? value.length : (value as { count?: number }).count;
  if (typeof count === "number") return count === 0 ? null : <span class="badge">{count}</span>;
  const target = findType(String(attribute.target ?? (value as { __type?: string }).__type));
  const related = value as Readonly<Record<string, unknown>>;
  return <>{String(related[target?.mainField ?? "documentId"] ?? related.documentId ?? related.id ?? "")}</>;
}

const cells: Readonly<Record<string, Cell>> = {
  string: text,
  integer: number,
  biginteger: number,
  decimal: number,
  float: number,
  boolean: { show: (value) => (value ? "Yes" : "No"), width: 90 },
  enumeration: { show: (value) => <span class="badge">{String(value)}</span>, width: 120 },
  date: asDate({ dateStyle: "medium", timeZone: "UTC" }, 130),
  datetime,
  timestamp: datetime,
  time: { show: (value) => String(value).slice(0, 8), width: 90 },
  media: { show: (value) => <Files files={[value].flat() as File[]} />, width: 90 },
  relation: { show: (value, attribute) => <Related value={value} attribute={attribute} />, width: 140 },
};

/** When a document was written, and by whom. */
const written = (writer: string): Cell => ({
  show: (value, _attribute, row) => {
    const by = personName(row[writer] as Person | null);
    return (
      <>
        <TimeAgo time={String(value)} />
        {by ? <span class="muted"> · {by}</span> : null}
      </>
    );
  },
  width: 210,
});

/** Attributes that every type has. */
const systemCells: Readonly<Record<string, Cell>> = {
  createdAt: written("createdBy"),
  updatedAt: written("updatedBy"),
};

export const findCell = (name: string, { type }: Attribute): Cell => systemCells[name] ?? cells[type] ?? text;

/** Text needs `dir="auto"`: its direction depends on the value. */
export const isText = (name: string, attribute: Attribute): boolean => findCell(name, attribute) === text;

export const isNumeric = (name: string, attribute: Attribute): boolean => findCell(name, attribute) === number;

/** The first file of an attribute, small: an image, or a sign in its place, so that names are in one line. */
export function Thumbnail({ value }: { readonly value: unknown }) {
  const [first] = [value].flat() as (File | null | undefined)[];
  if (first && isImage(first))
    return <img class="row-image" src={siteUrl(first.formats?.thumbnail?.url ?? first.url)} alt="" loading="lazy" />;
  return (
    <span class="row-image">
      <Icon name={first ? "documents" : "media"} />
    </span>
  );
}
