/** Changes of a relation that are not saved yet. */
import type { Attribute } from "../../model.ts";
import type { RelatedDocument, RelationValue } from "./values.ts";

export const isToMany = ({ relation }: Attribute): boolean => /Many$/.test(String(relation));

export function withAdded(value: RelationValue, item: RelatedDocument, toMany: boolean): RelationValue {
  const { items = [], placed, removed } = value;
  const wasRemoved = removed.some(({ documentId }) => documentId === item.documentId);
  const added = wasRemoved ? item : { ...item, isAdded: true };
  const base = toMany ? value : items.reduce((rest, one) => withRemoved(rest, one), value);
  return {
    ...base,
    items: [...(toMany ? items : []), added],
    placed: [...(toMany ? placed : []), item.documentId],
    removed: base.removed.filter(({ documentId }) => documentId !== item.documentId),
  };
}

export function withRemoved(value: RelationValue, item: RelatedDocument): RelationValue {
  const { items = [], placed, removed } = value;
  const isOther = ({ documentId }: RelatedDocument): boolean => documentId !== item.documentId;
  return {
    ...value,
    items: items.filter(isOther),
    placed: placed.filter((id) => id !== item.documentId),
    removed: item.isAdded === true ? removed : [...removed, item],
  };
}
