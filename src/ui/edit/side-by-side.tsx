/** Compares the form with another version of the document: the fields that differ, or all of them. */
import { useMemo } from "preact/hooks";
import { EditProvider } from "./edit-context.ts";
import { FieldFrame, GroupFields } from "./field-frame.tsx";
import { differing } from "./form/same-values.ts";
import { collectValues, createGroup, type Group } from "./form/tree.ts";
import type { Values } from "./form/values.ts";
import { markedFields } from "./marked-fields.tsx";
import type { OpenDocument } from "./open-document.ts";

interface SideBySideProps {
  readonly open: OpenDocument;
  readonly ownTitle: string;
  readonly otherTitle: string;
  readonly other: Values;
  /** Of the other version, where it is stored. */
  readonly otherStatus?: "published";
  readonly showsAll: boolean;
}

const renderGroup = (group: Group) => <GroupFields group={group} />;
const doNothing = (): void => {};

export function SideBySide({ open, ownTitle, otherTitle, other, otherStatus, showsAll }: SideBySideProps) {
  const { attributes } = open.type;
  const sides = useMemo(() => {
    const form = open.form.peek();
    const own = form ? collectValues(form) : {};
    const ownGroup = createGroup(attributes, own, doNothing);
    const otherGroup = createGroup(attributes, other, doNothing);
    return {
      own: ownGroup,
      other: otherGroup,
      ownMarked: markedFields(ownGroup, otherGroup, "ins"),
      otherMarked: markedFields(otherGroup, ownGroup, "del"),
      differing: new Set(differing(attributes, own, other)),
    };
  }, [other]);
  const context = useMemo(() => ({ document: open, isReadOnly: true, openBeside: doNothing, renderGroup }), [open]);
  const names = [...sides.own.nodes.keys()].filter((name) => showsAll || sides.differing.has(name));
  if (names.length === 0) return <p>There are no differences.</p>;
  const columns = [
    { title: ownTitle, group: sides.own, context: { ...context, marked: sides.ownMarked } },
    {
      title: otherTitle,
      group: sides.other,
      context: { ...context, ...(otherStatus ? { status: otherStatus } : {}), marked: sides.otherMarked },
    },
  ];
  return (
    <div class="compare">
      {columns.map(({ title, group }) => (
        <h3 key={group.key}>{title}</h3>
      ))}
      {names.flatMap((name) =>
        columns.map(({ title, group, context }) => (
          <div key={`${group.key}-${name}`} class="read">
            <span class="compare-side visually-hidden">{title}</span>
            <EditProvider value={context}>
              <FieldFrame node={group.nodes.get(name)!} group={group} />
            </EditProvider>
          </div>
        )),
      )}
    </div>
  );
}
