/** Reads the current route from the URL, and navigates by changing the URL. */
import { signal } from "@preact/signals";
import { PAGE_BASE, type PagePath, splitPath } from "./page-paths.ts";

export interface Route {
  /** Undefined at `/admin` itself. */
  readonly page: PagePath | undefined;
  /** The path segments after the page's own, decoded. */
  readonly segments: readonly string[];
  readonly search: URLSearchParams;
}

function readRoute(): Route {
  const { pathname, search } = window.location;
  const [page, ...segments] = splitPath(pathname);
  return { page: page as PagePath | undefined, segments, search: new URLSearchParams(search) };
}

/** Of a document's URL: its history is opened with it. */
export const HISTORY_PARAM = "history";

/** Of a document's URL: its preview is beside it. */
export const PREVIEW_PARAM = "preview";

export const route = signal<Route>(readRoute());

/** Those without a value are left out. */
export type UrlParams = Readonly<Record<string, string | null | undefined>>;

/** The URL of a page. */
export function hrefTo(page: PagePath, segments: readonly string[] = [], params: UrlParams = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) search.set(name, value);
  const path = [PAGE_BASE, page, ...segments.map((segment) => encodeURIComponent(segment).replaceAll("%3A", ":"))].join(
    "/",
  );
  return search.size > 0 ? `${path}?${search}` : path;
}

/** The URL of the route. */
let shown = window.location.href;

function show(): void {
  shown = window.location.href;
  route.value = readRoute();
}

const guards = new Set<() => boolean>();

/** `guard` is called when somebody goes back or forward; true keeps the page. Returns a function that removes it. */
export function guardPage(guard: () => boolean): () => void {
  guards.add(guard);
  return () => void guards.delete(guard);
}

export interface NavigationOptions {
  /** Replaces the history entry: for changes within a view. */
  readonly replace?: boolean;
}

export function goTo(href: string, { replace = false }: NavigationOptions = {}): void {
  if (replace) window.history.replaceState(null, "", href);
  else window.history.pushState(null, "", href);
  show();
}

/** Replaces the filters in the URL. */
export function setFilters(filters: readonly (readonly [name: string, value: string])[]): void {
  const search = new URLSearchParams(window.location.search);
  for (const name of [...search.keys()]) if (name.startsWith("filters[")) search.delete(name);
  for (const [name, value] of filters) search.append(name, value);
  goTo(`${window.location.pathname}?${search}`);
}

/** Changes query parameters of the current URL; an empty value removes one. */
export function setParams(changes: Record<string, string | undefined>, options?: NavigationOptions): void {
  const search = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") search.delete(name);
    else search.set(name, value);
  }
  goTo(window.location.pathname + (search.size > 0 ? `?${search}` : ""), options);
}

/** Clicks with a modifier (new tab, save) are left to the browser. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);

/** Handles clicks on links and the browser's history without loading the page again. */
export function followLinks(): void {
  window.addEventListener("popstate", () => {
    // what was opened last comes first
    if ([...guards].reverse().some((guard) => guard())) window.history.pushState(null, "", shown);
    else show();
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || !isPlain(event)) return;
    if (link.origin !== window.location.origin || !`${link.pathname}/`.startsWith(`${PAGE_BASE}/`)) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}
