/** What the palette leads to: places of the page by name, actions, and documents that the server finds. */
import { api } from "../api/client.ts";
import type { Row } from "../list/rows.ts";
import { rowsPath } from "../list/rows-path.ts";
import { type ContentType, isLocalized, isOfProject, shownTypes, start } from "../model.ts";
import { listedPages, pages } from "../pages.ts";
import { goTo, hrefTo, route } from "../router.ts";
import { signOut } from "../session.ts";
import { settingsPaths } from "../settings/settings-paths.ts";
import { typeSign } from "../type-sign.ts";
import type { IconName } from "../widgets/icon.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { openPanel } from "./open-panel.ts";
import { favourites, type Place, recent } from "./places.ts";

export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly note?: string | undefined;
  readonly icon: IconName;
  readonly run: () => void;
}

const to = (href: string) => (): void => goTo(href);

const ofPlace = ({ href, name, note }: Place, icon: IconName): Entry => ({ id: href, name, note, icon, run: to(href) });

const canMake = (type: ContentType): boolean => type.kind === "collectionType" && isOfProject(type);

/** The views of pages that have several. */
const views = {
  access: { roles: "Roles", users: "Users", tokens: "API tokens", why: "Why is it refused?" },
  settings: settingsPaths,
};

/** All of them, by name. */
function places(): Entry[] {
  const types = shownTypes.value;
  return [
    ...types.map(({ uid, kind, info }): Entry => {
      const href = hrefTo("content", [uid]);
      return { id: href, name: info.displayName, icon: typeSign({ kind, ...info }), run: to(href) };
    }),
    ...types.filter(canMake).map(({ uid, info }): Entry => {
      const href = hrefTo("content", [uid, "new"]);
      return { id: href, name: `New ${info.displayName}`, icon: "add", run: to(href) };
    }),
    ...listedPages().map(([path, { label, icon }]): Entry => {
      const href = hrefTo(path);
      return { id: href, name: label, icon, run: to(href) };
    }),
    ...(["access", "settings"] as const).flatMap((page) => {
      const { label: note, icon } = pages[page]!;
      return Object.entries(views[page]).map(([path, name]): Entry => {
        const href = hrefTo(page, [path]);
        return { id: href, name, note, icon, run: to(href) };
      });
    }),
    ...(start.value?.contentTypes ?? []).filter(isOfProject).map(({ uid, info }): Entry => {
      const href = hrefTo("types", [uid]);
      return {
        id: href,
        name: `Attributes of ${info.displayName}`,
        note: "Content-types",
        icon: "types",
        run: to(href),
      };
    }),
    {
      id: "keys",
      name: "Keys",
      icon: "settings",
      run: () => {
        openPanel.value = "keys";
      },
    },
    { id: "sign-out", name: "Sign out", icon: "external", run: () => void signOut().catch(showProblem) },
  ];
}

/** How well a name fits: its beginning, that of a word, a part, or not at all. */
function fit(name: string, words: readonly string[]): number {
  const text = name.toLowerCase();
  if (!words.every((word) => text.includes(word))) return 0;
  const [first = ""] = words;
  if (text.startsWith(first)) return 3;
  return text.includes(` ${first}`) ? 2 : 1;
}

const MAX_PLACES = 8;

/** Of several that lead to the same place, the last. */
const unique = (entries: readonly Entry[]): Entry[] => [...new Map(entries.map((entry) => [entry.id, entry])).values()];

/** Without a text, where somebody has been, favourites, and then all types. */
export function findPlaces(text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const known = unique([
    ...recent.value.map((place) => ofPlace(place, "history")),
    ...favourites.value.map((place) => ofPlace(place, "star")),
  ]);
  const all = unique([...places(), ...known]);
  if (words.length === 0) return unique([...known, ...all]).slice(0, known.length + MAX_PLACES);
  return all
    .map((entry) => ({ entry, score: fit(entry.name, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_PLACES)
    .map(({ entry }) => entry);
}

/** A request for each type: the type of the page first, and not all of a large project. */
const MAX_TYPES = 10;
const PER_TYPE = 3;

async function searchType(type: ContentType, text: string, signal: AbortSignal): Promise<Entry[]> {
  const { uid, kind, mainField, info } = type;
  const locale = isLocalized(type) ? (route.value.search.get("locale") ?? undefined) : undefined;
  const search = new URLSearchParams({ q: text, columns: mainField, ...(locale ? { locale } : {}) });
  const { results } = await api.get<{ results: readonly Row[] }>(rowsPath(uid, search, 1, PER_TYPE), { signal });
  return results.map((row) => {
    const href = hrefTo("content", [uid, row.documentId], { locale });
    return {
      id: href,
      name: String(row[mainField] ?? row.documentId),
      note: info.displayName,
      icon: typeSign({ kind, ...info }),
      run: to(href),
    };
  });
}

/** Documents with the text anywhere in them. Throws the server's errors. */
export async function findDocuments(text: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const [current] = route.value.segments;
  const types = shownTypes.value
    .filter(({ kind }) => kind === "collectionType")
    .toSorted((left, right) => Number(right.uid === current) - Number(left.uid === current))
    .slice(0, MAX_TYPES);
  return (await Promise.all(types.map((type) => searchType(type, text, signal)))).flat();
}
