/** The configured view of a type's or a component's fields. */
import { type ContentType, findComponent, formatLabel, type View } from "../../model.ts";
import type { Group, Node } from "./tree.ts";

export const viewOf = (type: ContentType, { component }: Group): View | undefined =>
  component === undefined ? type.view : findComponent(component)?.view;

export const labelOf = (view: View | undefined, name: string): string => view?.labels[name] ?? formatLabel(name);

export interface ShownField {
  readonly node: Node;
  /** Of twelve columns; undefined: the field has a row of its own. */
  readonly size?: number;
}

/** The fields of a form in their order. What is required is shown, also if the view has it nowhere: it could not be saved. */
export function shownFields({ nodes }: Group, view: View | undefined): readonly ShownField[] {
  if (!view?.cells) return [...nodes.values()].map((node) => ({ node }));
  const placed = view.cells.flatMap(({ name, size }) => {
    const node = nodes.get(name);
    return node ? [{ node, size }] : [];
  });
  const names = new Set(view.cells.map(({ name }) => name));
  const missing = [...nodes.values()].filter(({ name, attribute }) => attribute.required === true && !names.has(name));
  return [...placed, ...missing.map((node) => ({ node, size: 12 }))];
}
