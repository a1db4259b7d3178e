/** The documents that link to a document: for each attribute that may, the first of them. */
import { api } from "../api/client.ts";
import { useRequest } from "../api/use-request.ts";
import { documentHref } from "../document-href.ts";
import type { Row } from "../list/rows.ts";
import { rowsPath } from "../list/rows-path.ts";
import {
  type Attribute,
  type ContentType,
  findComponent,
  formatLabel,
  isLocalized,
  isOfProject,
  start,
} from "../model.ts";
import { hrefTo } from "../router.ts";

interface Place {
  readonly type: ContentType;
  /** Names from the document down: an attribute, or one of a component. */
  readonly path: readonly string[];
}

/** The other side of a relation is a field of the document itself. */
const isLinkTo = (uid: string, { type, target, mappedBy }: Attribute): boolean =>
  type === "relation" && target === uid && mappedBy === undefined;

function pathsTo(uid: string, attributes: Readonly<Record<string, Attribute>>): (readonly string[])[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    if (isLinkTo(uid, attribute)) return [[name]];
    const inner = attribute.type === "component" ? findComponent(String(attribute.component)) : undefined;
    return Object.entries(inner?.attributes ?? {})
      .filter(([, other]) => isLinkTo(uid, other))
      .map(([other]) => [name, other]);
  });
}

/** The attributes of the project that may link to documents of a type. Dynamic zones are not among them: lists do not filter by them. */
const placesOf = (uid: string): Place[] =>
  (start.peek()?.contentTypes ?? [])
    .filter(isOfProject)
    .flatMap((type) => pathsTo(uid, type.attributes).map((path) => ({ type, path })));

/** Shown of each attribute; the list has the others. */
const SHOWN = 5;

interface Found extends Place {
  readonly total: number;
  readonly rows: readonly Row[];
  readonly filter: string;
}

async function findUses(place: Place, documentId: string, locale: string | undefined): Promise<Found> {
  const { type, path } = place;
  const filter = `filters[$and][0]${path.map((name) => `[${name}]`).join("")}[documentId][$eq]`;
  const search = new URLSearchParams({ columns: type.mainField, [filter]: documentId });
  if (locale !== undefined && isLocalized(type)) search.set("locale", locale);
  const { results, pagination } = await api.get<{ results: readonly Row[]; pagination: { total: number } }>(
    rowsPath(type.uid, search, 1, SHOWN),
  );
  return { ...place, filter, rows: results, total: pagination.total };
}

interface UsesProps {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | undefined;
}

export function Uses({ type: { uid }, documentId, locale }: UsesProps) {
  const { data, problem } = useRequest(
    () => Promise.all(placesOf(uid).map((place) => findUses(place, documentId, locale))),
    [],
  );
  const found = data?.filter(({ total }) => total > 0);
  if (problem) return <p class="field-problem">{problem}</p>;
  if (!found) return <p class="hint">Looking…</p>;
  if (found.length === 0) return <p class="hint">No document links to this one.</p>;
  return (
    <ul class="rail-uses">
      {found.map(({ type, path, rows, total, filter }) => (
        <li key={`${type.uid} ${path}`}>
          <span class="hint">
            {type.info.displayName} · {path.map(formatLabel).join(" › ")}
          </span>
          <ul>
            {rows.map((row) => (
              <li key={row.documentId}>
                <a href={documentHref({ uid: type.uid, documentId: row.documentId }, { locale })}>
                  {String(row[type.mainField] ?? type.info.displayName)}
                </a>
              </li>
            ))}
          </ul>
          {total > rows.length ? (
            <a class="hint" href={hrefTo("content", [type.uid], { [filter]: documentId, locale })}>
              All {total}
            </a>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
