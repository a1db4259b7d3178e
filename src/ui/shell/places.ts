/** The places that somebody has marked or been to, kept in this browser. */
import { signal } from "@preact/signals";
import { PAGE_BASE } from "../page-paths.ts";
import { readStored, store } from "../stored-json.ts";

export interface Place {
  readonly href: string;
  readonly name: string;
  /** The name of its type. */
  readonly note?: string;
}

const MAX_RECENT = 8;
const MAX_FAVOURITES = 20;

const isPlace = (value: unknown): value is Place =>
  typeof (value as Place | null)?.name === "string" && String((value as Place).href).startsWith(`${PAGE_BASE}/`);

function storedList(key: string): readonly Place[] {
  const places = readStored(key);
  return Array.isArray(places) ? places.filter(isPlace) : [];
}

/** A list in the browser's storage, where there is room for it. */
function storedPlaces(key: string, limit: number) {
  const places = signal(storedList(key));
  return {
    places,
    set: (next: readonly Place[]): void => {
      places.value = next.slice(0, limit);
      store(key, places.value);
    },
  };
}

const recentPlaces = storedPlaces("galley recent", MAX_RECENT);
const favouritePlaces = storedPlaces("galley favourites", MAX_FAVOURITES);

/** The last one first. */
export const recent = recentPlaces.places;
export const favourites = favouritePlaces.places;

const without = (places: readonly Place[], href: string): readonly Place[] =>
  places.filter((place) => place.href !== href);

export const visit = (place: Place): void =>
  recentPlaces.set([place, ...without(recentPlaces.places.peek(), place.href)]);

export const isFavourite = (href: string): boolean => favourites.value.some((place) => place.href === href);

export function toggleFavourite(place: Place): void {
  const others = without(favourites.peek(), place.href);
  favouritePlaces.set(others.length < favourites.peek().length ? others : [...others, place]);
}
