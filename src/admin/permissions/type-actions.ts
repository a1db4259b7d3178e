/** Strapi's administrator permissions on content-types, with their fields and locales. */
import type { ComponentDefinition, RawContentType, RawSchema } from "../../engine/schema/definition.ts";
import { isDisplayed } from "../content-manager/types.ts";

type Property = "fields" | "locales";

interface TypeAction {
  readonly actionId: string;
  readonly label: string;
  readonly applyToProperties: readonly Property[];
  /** Also on types that are not displayed. */
  readonly appliesToAllTypes?: true;
}

const PREFIX = "plugin::content-manager.explorer";

export const typeActions: readonly TypeAction[] = [
  { actionId: `${PREFIX}.create`, label: "Create", applyToProperties: ["fields", "locales"] },
  { actionId: `${PREFIX}.read`, label: "Read", applyToProperties: ["fields", "locales"], appliesToAllTypes: true },
  { actionId: `${PREFIX}.update`, label: "Update", applyToProperties: ["fields", "locales"] },
  { actionId: `${PREFIX}.delete`, label: "Delete", applyToProperties: ["locales"] },
  { actionId: `${PREFIX}.publish`, label: "Publish", applyToProperties: ["locales"] },
];

export interface FieldNode {
  readonly label: string;
  readonly value: string;
  readonly required?: true;
  readonly children?: readonly FieldNode[];
}

export const isLocalized = ({ definition }: RawContentType): boolean =>
  definition.pluginOptions?.i18n?.localized === true;

/** The fields of a schema and of its components. A component that contains itself is not expanded again. */
export function listFields(
  { components }: RawSchema,
  { attributes }: Pick<RawContentType["definition"] | ComponentDefinition, "attributes">,
  path: readonly string[] = [],
): FieldNode[] {
  return Object.entries(attributes).flatMap(([name, attribute]): FieldNode[] => {
    if (attribute.visible === false) return [];
    const uid = attribute.type === "component" ? String(attribute.component) : undefined;
    const inner = uid === undefined || path.includes(uid) ? undefined : components.find((item) => item.uid === uid);
    const children = inner && listFields({ types: [], components }, inner.definition, [...path, inner.uid]);
    return [
      {
        label: name,
        value: name,
        ...(attribute.required === true ? { required: true as const } : {}),
        ...(children && children.length > 0 ? { children } : {}),
      },
    ];
  });
}

/** In dot notation: `seo.metaTitle`. */
export const fieldPaths = (nodes: readonly FieldNode[], prefix = ""): string[] =>
  nodes.flatMap(({ value, children }) =>
    children ? fieldPaths(children, `${prefix}${value}.`) : [`${prefix}${value}`],
  );

/** The content-types to which an action applies. */
export const listSubjects = ({ types }: RawSchema, { appliesToAllTypes }: TypeAction): readonly RawContentType[] =>
  appliesToAllTypes ? types : types.filter(isDisplayed);
