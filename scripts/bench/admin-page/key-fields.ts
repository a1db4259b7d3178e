/** The fields in which the page's benchmark types, by the place where they are. */
import type { Page } from "playwright-core";
import { ARTICLE, COMPONENTS, ESSAY } from "./project.ts";

interface KeyField {
  readonly focus: (page: Page) => Promise<void>;
  /** What is typed, again and again; words by default. */
  readonly keys?: readonly string[];
  /** Between two keys, if the field does something after a pause. */
  readonly intervalMs?: number;
}

interface KeyPlace {
  readonly name: string;
  /** Below `/admin`. */
  readonly path: (ids: { readonly large: string }) => string;
  /** Opens what the fields are in. */
  readonly open?: (page: Page) => Promise<void>;
  readonly fields: Readonly<Record<string, KeyField>>;
}

const DIGITS = [..."12345"];
/** Every article has it in its title. */
const FOUND = "article";

const labelled = (label: string, keys?: readonly string[]): KeyField => ({
  focus: (page) => page.getByLabel(label, { exact: true }).first().focus(),
  ...(keys === undefined ? {} : { keys }),
});

const button = (page: Page, name: string): Promise<void> => page.getByRole("button", { name }).first().click();

const document: Readonly<Record<string, KeyField>> = {
  "the title": labelled("Title"),
  "a text": labelled("A text"),
  "an e-mail address": labelled("A email"),
  "a uid": labelled("A uid"),
  "an integer": labelled("A integer", DIGITS),
  "a big integer": labelled("A biginteger", DIGITS),
  "a decimal": labelled("A decimal", DIGITS),
  "a date": labelled("A date", DIGITS),
  "a line of the 50th component": { focus: (page) => page.getByLabel("Heading").nth(49).focus() },
  "a text of the last component": {
    focus: (page) =>
      page
        .getByLabel("Text", { exact: true })
        .nth(COMPONENTS - 1)
        .focus(),
  },
  "the search of a relation": {
    focus: async (page) => {
      await page.getByRole("combobox", { name: "Related" }).click();
      await page.locator(".menu-item").nth(1).waitFor();
    },
    keys: [...FOUND, ...Array.from(FOUND, () => "Backspace")],
    intervalMs: 250,
  },
  blocks: { focus: (page) => page.locator(".ProseMirror").click() },
  Markdown: { focus: (page) => page.getByRole("textbox", { name: "Story" }).click() },
  JSON: { focus: (page) => page.getByRole("textbox", { name: "Data" }).click(), keys: DIGITS },
};

export const keyPlaces: readonly KeyPlace[] = [
  {
    name: `a document with ${COMPONENTS} components`,
    path: ({ large }) => `content/${ESSAY}/${large}`,
    open: async (page) => {
      await button(page, "Expand all");
      await page.locator(".ProseMirror").waitFor();
    },
    fields: document,
  },
  {
    name: "a list",
    path: () => `content/${ARTICLE}`,
    fields: { "the search": labelled("Search") },
  },
  {
    name: "the filters of a list",
    path: () => `content/${ARTICLE}?filters[$and][0][title][$contains]=a`,
    open: (page) => button(page, "Filter"),
    fields: { "a value": labelled("Value") },
  },
  {
    name: "a content-type",
    path: () => `types/${ESSAY}`,
    fields: { "the display name": labelled("Display name"), "the description": labelled("Description") },
  },
  {
    name: "a new attribute",
    path: () => `types/${ESSAY}`,
    open: (page) => button(page, "Add an attribute"),
    fields: { "the name": labelled("Name") },
  },
  { name: "the media library", path: () => "media", fields: { "the search": labelled("Search") } },
  {
    name: "a new role",
    path: () => "access",
    open: (page) => button(page, "New role"),
    fields: { "the name": labelled("Name") },
  },
];
