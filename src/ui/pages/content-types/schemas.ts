/** The project's types and components as the content-type builder answers them, with the options of attributes. */
import { signal } from "@preact/signals";
import { api } from "../../api/client.ts";
import type { Attribute } from "../../model.ts";

export interface TypeSchema {
  readonly uid: string;
  readonly plugin?: string;
  readonly schema: {
    readonly displayName: string;
    readonly singularName: string;
    readonly pluralName: string;
    readonly description: string;
    readonly kind: "collectionType" | "singleType";
    readonly draftAndPublish: boolean;
    readonly pluginOptions?: PluginOptions;
    readonly attributes: Readonly<Record<string, Attribute>>;
    readonly visible: boolean;
  };
}

export interface ComponentSchema {
  readonly uid: string;
  readonly category: string;
  readonly schema: {
    readonly displayName: string;
    readonly description: string;
    readonly icon?: string;
    readonly pluginOptions?: PluginOptions;
    readonly attributes: Readonly<Record<string, Attribute>>;
  };
}

export type PluginOptions = Readonly<Record<string, unknown>> & { readonly i18n?: { readonly localized?: boolean } };

/** JSON schema, as far as options of attributes have it. */
export interface OptionSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
}

export type Options = Readonly<Record<string, OptionSchema>>;

/** Names that types and attributes cannot have, in snake case; a `*` at the end stands for any ending. */
export interface ReservedNames {
  readonly models: readonly string[];
  readonly attributes: readonly string[];
}

export interface Schemas {
  readonly types: readonly TypeSchema[];
  readonly components: readonly ComponentSchema[];
  readonly common: Options;
  /** By attribute type. */
  readonly options: Readonly<Record<string, Options>>;
  readonly reserved: ReservedNames;
}

export const schemas = signal<Schemas | undefined>(undefined);

interface AttributeTypes {
  readonly common: Options;
  readonly types: readonly { readonly type: string; readonly options: Options }[];
}

/** Throws as `request` does. */
export async function loadSchemas(): Promise<void> {
  const [types, components, attributes, reserved] = await Promise.all([
    api.get<{ data: TypeSchema[] }>("/content-type-builder/content-types"),
    api.get<{ data: ComponentSchema[] }>("/content-type-builder/components"),
    api.get<{ data: AttributeTypes }>("/content-types/attribute-types"),
    api.get<ReservedNames>("/content-type-builder/reserved-names"),
  ]);
  const { common, types: options } = attributes.data;
  schemas.value = {
    types: types.data.filter(({ schema }) => schema.visible),
    components: components.data,
    reserved,
    common,
    options: Object.fromEntries(options.map((row) => [row.type, row.options])),
  };
}
