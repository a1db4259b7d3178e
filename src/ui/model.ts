/** The project's model: types, components and locales. Loaded at the start, and again when files change. */
import { computed, signal } from "@preact/signals";
import { api } from "./api/client.ts";
import { type ServedState, served } from "./changes.ts";
import { compareNames } from "./compare-names.ts";
import { START_PATH } from "./first-requests.ts";

export interface Attribute {
  readonly type: string;
  readonly [option: string]: unknown;
}

interface SchemaBase {
  readonly uid: string;
  readonly apiID: string;
  readonly isDisplayed: boolean;
  readonly info: {
    readonly displayName: string;
    readonly singularName?: string;
    readonly pluralName?: string;
    readonly description?: string;
    readonly icon?: string;
  };
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** The attribute that names a document. */
  readonly mainField: string;
  /** Absent: the default. */
  readonly view?: View;
}

/** What is configured of forms. */
export interface View {
  /** By attribute. */
  readonly labels: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  /** The shown fields in their order, with their widths of twelve columns; absent: all fields. */
  readonly cells?: readonly { readonly name: string; readonly size: number }[];
}

export interface ContentType extends SchemaBase {
  readonly kind: "collectionType" | "singleType";
  readonly options?: { readonly draftAndPublish?: boolean };
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } };
}

export interface ComponentType extends SchemaBase {
  readonly category: string;
}

export interface Locale {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly isDefault: boolean;
}

export interface Start {
  readonly version: string;
  readonly served: ServedState;
  readonly project: string;
  /** Whether types may be written to the project's files. */
  readonly canChangeFiles: boolean;
  /** The file with roles, users, tokens and locales. `problem`: why it cannot be changed here. */
  readonly settingsSource: { readonly file: string; readonly problem?: string };
  /** Whether the files of `content/` and the database are kept equal. */
  readonly syncsContent: boolean;
  /** Whether documents may have a preview, or a URL on a site. */
  readonly hasPreviews: boolean;
  /** Whether agents have changed something that can be restored. */
  readonly hasAgentSessions: boolean;
  readonly restPrefix: string;
  readonly graphqlEndpoint: string;
  readonly locales: readonly Locale[];
  readonly contentTypes: readonly ContentType[];
  readonly components: readonly ComponentType[];
}

export const start = signal<Start | undefined>(undefined);

/** Incremented when types or components change, since forms are built from their attributes. */
export const schemaGeneration = signal(0);

export interface StartAnswer {
  readonly data: Start;
}

export const requestStart = (): Promise<StartAnswer> => api.get<StartAnswer>(START_PATH);

/**
 * Throws as `request` does. `answer`: a pending request to use. Unchanged data stays the same object, so that nothing is
 * rendered again.
 */
export async function loadStart(answer = requestStart()): Promise<void> {
  const { data } = await answer;
  const before = start.peek();
  if (!before || formatStart(data) !== formatStart(before)) start.value = data;
  if (before && schemaText(data) !== schemaText(before)) schemaGeneration.value++;
  served.value = data.served;
}

const formatStart = (data: Start): string => JSON.stringify({ ...data, served: undefined });
const schemaText = ({ contentTypes, components }: Start): string => JSON.stringify([contentTypes, components]);

const byName = (left: SchemaBase, right: SchemaBase): number =>
  compareNames(left.info.displayName, right.info.displayName);

/** Types that the page lists, sorted by display name. */
export const shownTypes = computed(() =>
  (start.value?.contentTypes ?? []).filter(({ isDisplayed }) => isDisplayed).toSorted(byName),
);

const typesByUid = computed(() => new Map(start.value?.contentTypes.map((type) => [type.uid, type])));
const componentsByUid = computed(() => new Map(start.value?.components.map((item) => [item.uid, item])));

export const findType = (uid: string): ContentType | undefined => typesByUid.value.get(uid);
export const findComponent = (uid: string): ComponentType | undefined => componentsByUid.value.get(uid);

/** The display name of a type or a component; its uid, if there is none. */
export const typeName = (uid: string): string => (findType(uid) ?? findComponent(uid))?.info.displayName ?? uid;

/** Types of the project are served by its Content API, unlike those of plugins. */
export const isOfProject = ({ uid }: Pick<ContentType, "uid">): boolean => uid.startsWith("api::");

export const isLocalized = ({ pluginOptions }: ContentType): boolean => pluginOptions?.i18n?.localized === true;
export const hasDrafts = ({ options }: ContentType): boolean => options?.draftAndPublish === true;

export const defaultLocale = (): string => start.value?.locales.find(({ isDefault }) => isDefault)?.code ?? "en";

export const localeNames = computed(() => (start.value?.locales ?? []).map(({ code, name }) => [code, name] as const));

/** The code of one that the project no longer has. */
export const localeName = (code: string): string => localeNames.value.find(([known]) => known === code)?.[1] ?? code;

/** The label of an attribute: "Seo title" for `seoTitle` and `seo_title`. Abbreviations stay: `pageURL` is "Page URL". */
export function formatLabel(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/(?<= )[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase())
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
