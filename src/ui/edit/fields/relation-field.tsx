/** A relation: linked documents in their order, and a search for others. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { StatusBadge } from "../../list/status-badge.tsx";
import { formatLabel, shownTypes, typeName } from "../../model.ts";
import { Alert } from "../../widgets/alert.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { DragHandle } from "../../widgets/drag-handle.tsx";
import { Select } from "../../widgets/select.tsx";
import { moved, type Sortable, useSortable } from "../../widgets/sortable.ts";
import { useEdit } from "../edit-context.ts";
import { findTarget, relatedName, typeOfItem } from "../form/related-names.ts";
import { isToMany, withAdded, withRemoved } from "../form/relation-changes.ts";
import type { RelatedDocument, RelationValue } from "../form/values.ts";
import type { FieldProps } from "./field-props.ts";
import { PAGE_SIZE, RelatedItems, unloadedCount } from "./related-items.ts";
import { RelationSearch } from "./relation-search.tsx";

interface ItemProps {
  readonly item: RelatedDocument;
  readonly name: string;
  /** The name of its type, for polymorphic relations. */
  readonly type: string | undefined;
  readonly place: Sortable;
  readonly isReadOnly: boolean;
  readonly open: () => void;
  readonly remove: () => void;
}

function Item({ item, name, type, place, isReadOnly, open, remove }: ItemProps) {
  const sortable = useSortable(place);
  const { document } = useEdit();
  return (
    <li class="related" ref={sortable.item}>
      <DragHandle sortable={sortable} name={name} />
      <button type="button" class="one-line related-name" title="Open beside" onClick={open}>
        <bdi>{name}</bdi>
      </button>
      {type === undefined ? null : <span class="badge">{type}</span>}
      {item.locale && item.locale !== document.locale ? <span class="badge">{item.locale}</span> : null}
      <StatusBadge status={item.status} />
      {isReadOnly ? null : <IconButton icon="close" label={`Remove ${name}`} onClick={remove} />}
    </li>
  );
}

/** The room of items that are being loaded. */
const WaitingItems = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <ul class="related-list" aria-busy="true">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <li key={index} class="related" />
      ))}
    </ul>
  );

interface TypeSelectProps {
  readonly field: string;
  readonly value: string;
  readonly onChange: (uid: string) => void;
}

/** Selects the type of the documents to add to a polymorphic relation. */
const TypeSelect = ({ field, value, onChange }: TypeSelectProps) => (
  <Select
    class="input input-inline"
    label={`${field}: type to add`}
    value={value}
    options={shownTypes.value.map(({ uid, info }) => [uid, info.displayName])}
    onChoose={onChange}
  />
);

export function RelationField({ node, group, isReadOnly, describedBy }: FieldProps) {
  const { document, openBeside, status } = useEdit();
  const [problem, setProblem] = useState<string>();
  const source = useMemo(() => new RelatedItems(document, group, node, status), [document, group, node]);
  const value = node.value.value as RelationValue;
  const { attribute } = node;
  const toMany = isToMany(attribute);
  const target = findTarget(attribute);
  const [chosen, setChosen] = useState(shownTypes.peek()[0]?.uid);
  const addedType = target ?? chosen;
  const items = value.items ?? [];
  const unloaded = unloadedCount(value);
  const canMove = toMany && !isReadOnly && items.length > 1;
  const change = (next: RelationValue): void => {
    node.value.value = next;
  };
  const load = async (): Promise<void> => {
    try {
      node.load(await source.load(node.value.peek() as RelationValue));
    } catch (error) {
      setProblem(errorMessage(error));
    }
  };
  const isUnloaded = value.items === undefined;
  useEffect(() => {
    if (isUnloaded) void load();
  }, [node, isUnloaded]);

  const add = (item: RelatedDocument): void => change(withAdded(node.value.peek() as RelationValue, item, toMany));
  /** Adds the type, for polymorphic relations. */
  const withType = (item: RelatedDocument): RelatedDocument =>
    target === undefined && addedType ? { ...item, __type: addedType } : item;
  const move = (from: number, to: number): void => {
    const next = moved(items, from, to);
    const item = items[from];
    if (item) change({ ...value, items: next, placed: [...new Set([...value.placed, item.documentId])] });
  };
  const replaceSaved = (saved: RelatedDocument): void => {
    const current = node.value.peek() as RelationValue;
    node.load({
      ...current,
      items: current.items?.map((item) => (item.documentId === saved.documentId ? { ...item, ...saved } : item)),
    });
  };
  return (
    <>
      {unloaded > 0 && value.items ? (
        <Button kind="link" text={`Show more before these (${unloaded})`} onClick={load} />
      ) : null}
      {isUnloaded && !problem ? <WaitingItems count={Math.min(value.count, PAGE_SIZE)} /> : null}
      {items.length > 0 ? (
        <ul class="related-list">
          {items.map((item, index) => (
            <Item
              key={item.documentId}
              item={item}
              name={relatedName(attribute, item)}
              type={target === undefined ? typeName(typeOfItem(attribute, item)) : undefined}
              place={{ listId: node.id, index, count: items.length, isDisabled: !canMove, move }}
              isReadOnly={isReadOnly}
              open={() =>
                openBeside({
                  uid: typeOfItem(attribute, item),
                  documentId: item.documentId,
                  locale: item.locale ?? undefined,
                  onSaved: replaceSaved,
                })
              }
              remove={() => change(withRemoved(value, item))}
            />
          ))}
        </ul>
      ) : null}
      {isReadOnly || addedType === undefined ? null : (
        <div class="related-add">
          {target === undefined ? (
            <TypeSelect field={formatLabel(node.name)} value={addedType} onChange={setChosen} />
          ) : null}
          <RelationSearch
            key={addedType}
            node={node}
            describedBy={describedBy}
            placeholder={`${toMany || items.length === 0 ? "Add" : "Replace with"} ${typeName(addedType)}…`}
            find={(text, signal) => {
              const search = { text, __type: target === undefined ? addedType : undefined };
              return source.find(search, node.value.peek() as RelationValue, signal);
            }}
            onChoose={add}
            onNew={(name) =>
              openBeside({
                uid: addedType,
                documentId: undefined,
                locale: document.locale,
                name,
                onSaved: (saved) => add(withType(saved)),
              })
            }
          />
        </div>
      )}
      <Alert text={problem} />
    </>
  );
}
