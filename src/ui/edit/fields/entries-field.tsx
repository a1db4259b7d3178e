/** Components: one, several in their order, or a dynamic zone of different ones. Entries can be folded. */
import { findComponent, formatLabel, typeName } from "../../model.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { DragHandle } from "../../widgets/drag-handle.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { moved, useSortable } from "../../widgets/sortable.ts";
import { showDone } from "../../widgets/toasts.tsx";
import { useEdit } from "../edit-context.ts";
import { type Entries, type Group, newEntry } from "../form/tree.ts";
import { showField } from "../use-saving.ts";

/** The value of the main field, so that entries can be recognized while they are folded. */
function Summary({ entry }: { readonly entry: Group }) {
  const main = entry.nodes.get(findComponent(entry.component ?? "")?.mainField ?? "");
  const text = main?.kind === "leaf" ? main.value.value : undefined;
  return (
    <span class="entry-summary">
      <bdi class="text-line">{typeof text === "string" ? text : ""}</bdi>
    </span>
  );
}

interface EntryProps {
  readonly node: Entries;
  readonly entry: Group;
  readonly index: number;
  readonly count: number;
  readonly showsName: boolean;
}

function remove(node: Entries, entry: Group): void {
  const before = node.entries.peek();
  node.entries.value = before.filter((item) => item !== entry);
  showDone(`${typeName(entry.component ?? "")} was removed`, {
    label: "Undo",
    run: () => {
      const index = before.indexOf(entry);
      node.entries.value = node.entries.peek().toSpliced(index, 0, entry);
    },
  });
}

function Entry({ node, entry, index, count, showsName }: EntryProps) {
  const { isReadOnly, renderGroup } = useEdit();
  const sortable = useSortable({
    listId: node.id,
    index,
    count,
    isDisabled: count < 2 || isReadOnly,
    move: (from, to) => {
      node.entries.value = moved(node.entries.peek(), from, to);
    },
  });
  const isOpen = entry.isOpen.value;
  const name = showsName ? typeName(entry.component ?? "") : `${formatLabel(node.name)} ${index + 1}`;
  return (
    <li class={isOpen ? "entry entry-open" : "entry"} ref={sortable.item}>
      <div class="entry-head">
        <DragHandle sortable={sortable} name={name} />
        <button
          type="button"
          class="entry-toggle"
          aria-expanded={isOpen}
          onClick={() => {
            entry.isOpen.value = !isOpen;
          }}
        >
          <Icon name={isOpen ? "up" : "down"} />
          <strong>{name}</strong>
          <Summary entry={entry} />
        </button>
        {isReadOnly ? null : (
          <>
            <AddButton node={node} before={entry} label={`Add above ${name}`} />
            <IconButton icon="trash" label={`Remove ${name}`} onClick={() => remove(node, entry)} />
          </>
        )}
      </div>
      {isOpen ? <div class="entry-body">{renderGroup(entry)}</div> : null}
    </li>
  );
}

interface AddButtonProps {
  readonly node: Entries;
  /** The entry that the new one comes before; by default it comes last. */
  readonly before?: Group;
  /** The button is an icon with this name. */
  readonly label?: string;
}

function AddButton({ node, before, label }: AddButtonProps) {
  const { document: open } = useEdit();
  const { attribute, name, entries } = node;
  const add = (uid: string): void => {
    const entry = newEntry(uid, (step) => open.changed(step));
    const list = entries.peek();
    entries.value = list.toSpliced(before ? list.indexOf(before) : list.length, 0, entry);
    const [first] = entry.nodes.values();
    // the menu gives the focus back to its button first; who is in another field by then stays there
    const show = (): void => {
      if (first && document.activeElement?.matches("body, button")) showField(first);
    };
    requestAnimationFrame(() => requestAnimationFrame(show));
  };
  if (attribute.type === "dynamiczone") {
    const uids = (attribute.components as readonly string[] | undefined) ?? [];
    const items = uids.map((uid) => ({ id: uid, label: typeName(uid), run: () => add(uid) }));
    return (
      <Menu items={items} {...(label === undefined ? { class: "button" } : { label })}>
        <Icon name="add" />
        {label === undefined ? `Add to ${formatLabel(name).toLowerCase()}` : null}
      </Menu>
    );
  }
  const uid = String(attribute.component);
  if (label !== undefined) return <IconButton icon="add" label={label} onClick={() => add(uid)} />;
  return <Button icon="add" text={`Add ${typeName(uid)}`} onClick={() => add(uid)} />;
}

/** Folds or opens all entries of a list. */
function FoldAll({ entries }: { readonly entries: readonly Group[] }) {
  const isAnyOpen = entries.some(({ isOpen }) => isOpen.value);
  return (
    <Button
      class="button-link fold-all"
      text={isAnyOpen ? "Collapse all" : "Expand all"}
      onClick={() => {
        for (const { isOpen } of entries) isOpen.value = !isAnyOpen;
      }}
    />
  );
}

export function EntriesField({ node }: { readonly node: Entries }) {
  const { isReadOnly, renderGroup } = useEdit();
  const { attribute } = node;
  const entries = node.entries.value;
  const isZone = attribute.type === "dynamiczone";
  if (!isZone && attribute.repeatable !== true) {
    const [entry] = entries;
    if (!entry)
      return isReadOnly ? (
        <p class="muted">Not set</p>
      ) : (
        <div>
          <AddButton node={node} />
        </div>
      );
    return (
      <div class="entry entry-open">
        <div class="entry-body">{renderGroup(entry)}</div>
        {isReadOnly || attribute.required === true ? null : (
          <Button
            class="button-link entry-clear"
            text={`Remove ${typeName(entry.component ?? "")}`}
            onClick={() => remove(node, entry)}
          />
        )}
      </div>
    );
  }
  return (
    <>
      {entries.length > 1 ? <FoldAll entries={entries} /> : null}
      {entries.length > 0 ? (
        <ol class="entries">
          {entries.map((entry, index) => (
            <Entry key={entry.key} node={node} entry={entry} index={index} count={entries.length} showsName={isZone} />
          ))}
        </ol>
      ) : null}
      {isReadOnly ? null : (
        <div>
          <AddButton node={node} />
        </div>
      )}
    </>
  );
}
