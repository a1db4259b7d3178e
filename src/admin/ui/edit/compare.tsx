/** The draft and the published version side by side: by default only the fields that differ. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, messageOf } from "../api/client.ts";
import { Dialog } from "../widgets/dialog.tsx";
import type { Version } from "./document-requests.ts";
import { EditProvider } from "./edit-context.ts";
import { FieldFrame, GroupFields } from "./field-frame.tsx";
import { createGroup, type Group, valuesOf } from "./form/tree.ts";
import { readValues, writeValues } from "./form/values.ts";
import type { OpenDocument } from "./open-document.ts";

const renderGroup = (group: Group) => <GroupFields group={group} />;

/** Ids of entries differ between versions, and say nothing. */
const withoutIds = (_: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { id: _id, ...rest } = value as { id?: unknown };
  return rest;
};

interface CompareProps {
  readonly open: OpenDocument;
  readonly onClose: () => void;
}

export function Compare({ open, onClose }: CompareProps) {
  const [published, setPublished] = useState<Version>();
  const [problem, setProblem] = useState<string>();
  const [showsAll, setShowsAll] = useState(false);
  const { type, locale } = open;
  useEffect(() => {
    api
      .get<{ data: Version }>(open.path, { query: { locale, status: "published" } })
      .then(({ data }) => setPublished(data))
      .catch((error: unknown) => setProblem(messageOf(error)));
  }, []);
  const sides = useMemo(() => {
    const form = open.form.peek();
    if (!published || !form) return undefined;
    const draft = valuesOf(form);
    const other = readValues(type.attributes, published);
    const text = (values: typeof draft): Record<string, string | undefined> =>
      Object.fromEntries(
        Object.entries(writeValues(type.attributes, values)).map(([name, value]) => [
          name,
          JSON.stringify(value, withoutIds),
        ]),
      );
    const [mine, theirs] = [text(draft), text(other)];
    const none = (): void => {};
    return {
      draft: createGroup(type.attributes, draft, none),
      published: createGroup(type.attributes, other, none),
      changed: new Set(Object.keys(draft).filter((name) => mine[name] !== theirs[name])),
    };
  }, [published]);
  const context = { document: open, isReadOnly: true, openBeside: () => {}, renderGroup };
  const names = sides ? [...sides.draft.nodes.keys()].filter((name) => showsAll || sides.changed.has(name)) : [];
  return (
    <Dialog
      title="Draft and published"
      shape="wide"
      onClose={onClose}
      actions={
        <label class="choice">
          <input
            type="checkbox"
            checked={showsAll}
            onChange={({ currentTarget }) => setShowsAll(currentTarget.checked)}
          />
          Also what is the same
        </label>
      }
    >
      {problem ? <p class="field-problem">{problem}</p> : null}
      {sides && names.length === 0 ? <p>They are the same.</p> : null}
      {sides && names.length > 0 ? (
        <EditProvider value={context}>
          <div class="compare">
            <h3>Draft</h3>
            <h3>Published</h3>
            {names.flatMap((name) => [
              <FieldFrame key={`draft-${name}`} node={sides.draft.nodes.get(name)!} group={sides.draft} />,
              <FieldFrame key={`published-${name}`} node={sides.published.nodes.get(name)!} group={sides.published} />,
            ])}
          </div>
        </EditProvider>
      ) : null}
    </Dialog>
  );
}
