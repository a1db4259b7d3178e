/** Content-types and components as their files declare them, before they are checked and resolved. */
import type { AttributeDefinition } from "../attributes/index.ts";

export interface Info {
  readonly singularName?: string;
  readonly pluralName?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly icon?: string;
}

export interface SchemaOptions {
  readonly draftAndPublish?: boolean;
  readonly privateAttributes?: readonly string[];
  readonly populateCreatorFields?: boolean;
}

interface SchemaDefinition {
  readonly collectionName?: string;
  readonly options?: SchemaOptions;
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } } & Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

export interface ContentTypeDefinition extends SchemaDefinition {
  readonly info: Info & { readonly displayName: string };
  // `string`, since TypeScript infers that from imported JSON files
  readonly kind?: string;
}

export interface ComponentDefinition extends SchemaDefinition {
  readonly info?: Info;
}

export interface RawContentType {
  readonly uid: string;
  /** Relative to the project; a name in angle brackets for built-in types. */
  readonly file: string;
  /** The type's folder in kebab-case, which must equal `info.singularName`. */
  readonly folder: string;
  /** Whether an extension has replaced the schema of a plugin's type by one that does not name the plugin. */
  readonly hidesPlugin?: boolean;
  readonly definition: ContentTypeDefinition;
}

export interface RawComponent {
  readonly uid: string;
  readonly file: string;
  readonly category: string;
  readonly definition: ComponentDefinition;
}

/** Attribute types by the uid of a custom field. */
export type RegisteredFields = Readonly<Record<string, string>>;

export interface RawSchema {
  readonly types: readonly RawContentType[];
  readonly components: readonly RawComponent[];
  readonly customFields?: RegisteredFields;
}
