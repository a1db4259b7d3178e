/** Previews the changed files and the effects on content before a change is applied. */
import { useEffect, useState } from "preact/hooks";
import { ApiFailure, api, errorMessage, type Problem } from "../../api/client.ts";
import { countText } from "../../count-text.ts";
import { typeName } from "../../model.ts";
import { useContentChanges } from "../../use-content-changes.ts";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { attributeKinds } from "./attribute-options.ts";

interface Effect {
  readonly kind: string;
  readonly uid: string;
  readonly attribute?: string;
  readonly count: number;
  readonly lost?: number;
  readonly types?: readonly [from: string, to: string];
}

interface Preview {
  readonly uid: string;
  /** To be sent with the change, which then writes nothing else than what was shown. */
  readonly version: string;
  readonly files: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[];
  readonly effects: readonly Effect[];
}

const typeLabel = (type = ""): string => attributeKinds[type]?.label ?? type;
const values = (count: number): string => countText(count, "value");

const sentences: Readonly<Record<string, (effect: Effect) => string>> = {
  typeHidden: ({ uid, count }) =>
    `${typeName(uid)} is no longer served: ${countText(count, "document is", "documents are")} kept, and shown again when it is back.`,
  attributeHidden: ({ attribute, count }) =>
    `${attribute} is no longer served: ${values(count)} are kept, and shown again when it is back.`,
  converted: ({ attribute, types, count, lost = 0 }) =>
    `${attribute} becomes ${typeLabel(types?.[1])} instead of ${typeLabel(types?.[0])}: ${count - lost} of ${values(count)} convert` +
    (lost > 0
      ? `; ${countText(lost, "does not, and is", "do not, and are")} empty until the type is what it was.`
      : "."),
  outsideEnumeration: ({ attribute, count }) =>
    `${attribute}: ${countText(count, "value is", "values are")} not in the enumeration. They stay as they are until somebody changes them.`,
  listsCut: ({ attribute, count }) =>
    `${attribute}: ${countText(count, "list has", "lists have")} more than one entry. Only the first is served; the others are kept until somebody changes the list.`,
  entriesHidden: ({ attribute, count }) =>
    `${attribute}: ${countText(count, "entry of a component that it no longer has is", "entries of components that it no longer has are")} kept in the database, but neither in forms nor in content files.`,
  renamed: ({ attribute, count }) => `${attribute} keeps its ${values(count)} under the new name.`,
  draftsPublished: ({ uid, count }) =>
    `${typeName(uid)} has no drafts any more: ${countText(count, "document that was", "documents that were")} never published are public.`,
  draftsHidden: ({ count }) => `${countText(count, "draft is", "drafts are")} kept, but not shown.`,
  localesHidden: ({ count }) =>
    `${countText(count, "version in another locale is", "versions in other locales are")} kept, but not shown.`,
};

const isDestructive = ({ kind, lost = 0 }: Effect): boolean => kind !== "renamed" && (kind !== "converted" || lost > 0);

/** With the attribute that it concerns. */
function problemText({ path, message }: Problem): string {
  const names = [path].flat().map(String);
  const attribute = names[names.lastIndexOf("attributes") + 1];
  return names.includes("attributes") && attribute !== undefined && !message.includes(`attributes.${attribute}`)
    ? `${attribute}: ${message}`
    : message;
}

/** Every problem of a refusal in its own words. */
const listProblems = (error: unknown): readonly string[] =>
  error instanceof ApiFailure && error.problems.length > 0 ? error.problems.map(problemText) : [errorMessage(error)];

/** Attributes of other types are named with their type. */
const withTypeName = (effect: Effect, uid: string): Effect =>
  effect.attribute === undefined || effect.uid === uid
    ? effect
    : { ...effect, attribute: `${effect.attribute} of ${typeName(effect.uid)}` };

const Effects = ({ uid, effects }: Pick<Preview, "uid" | "effects">) => (
  <section>
    <h3>Content</h3>
    {effects.length === 0 ? <p class="muted">No content changes.</p> : null}
    <ul class="type-effects">
      {effects.map((effect) => (
        <li key={JSON.stringify(effect)} class={isDestructive(effect) ? "type-effect-warning" : undefined}>
          {sentences[effect.kind]?.(withTypeName(effect, uid)) ?? effect.kind}
        </li>
      ))}
    </ul>
  </section>
);

/** How a file's name is shown. */
function fileTitle({ path, before, after }: Preview["files"][number]): string {
  if (before === null) return `${path} (new)`;
  return after === null ? `${path} (removed)` : path;
}

export interface ChangesDialogProps {
  readonly title: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly isDangerous?: boolean;
  readonly onApplied: (uid: string) => void;
  readonly onClose: () => void;
}

export function ChangesDialog({ title, request, isDangerous = false, onApplied, onClose }: ChangesDialogProps) {
  const [preview, setPreview] = useState<Preview>();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isWriting, setWriting] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const requestText = JSON.stringify(request);
  useEffect(() => {
    let isCurrent = true;
    api.post<{ data: Preview }>("/content-types/preview", request).then(
      ({ data }) => {
        if (!isCurrent) return;
        setPreview(data);
        if (!preview) setProblems([]);
      },
      (error: unknown) => isCurrent && setProblems(listProblems(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [requestText, refusals]);
  // the server is back
  useContentChanges(() => {
    if (!preview) setRefusals(refusals + 1);
  });
  const apply = async (): Promise<void> => {
    setWriting(true);
    setProblems([]);
    try {
      const { data } = await api.post<{ data: { uid: string } }>("/content-types/apply", {
        ...request,
        version: preview?.version,
      });
      onApplied(data.uid);
    } catch (error) {
      setProblems(listProblems(error));
      // shows what would be written now
      if (error instanceof ApiFailure && error.status === 412) setRefusals(refusals + 1);
      setWriting(false);
    }
  };
  const canApply = preview !== undefined && preview.files.length > 0;
  return (
    <Dialog
      title={title}
      shape="wide"
      onClose={onClose}
      actions={
        <>
          <Button text="Back" onClick={onClose} />
          <Button
            kind={isDangerous ? "danger" : "primary"}
            text={isWriting ? "Writing…" : "Write the files"}
            disabled={!canApply || isWriting}
            onClick={() => void apply()}
          />
        </>
      }
    >
      <div class="type-changes" aria-busy={preview === undefined && problems.length === 0}>
        {problems.length > 0 ? (
          <ul class="page-problem" role="alert">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        ) : null}
        {preview?.files.length === 0 ? <p class="muted">No file changes.</p> : null}
        {preview ? <Effects uid={preview.uid} effects={preview.effects} /> : null}
        {preview?.files.map((file) => (
          <Diff key={file.path} file={fileTitle(file)} before={file.before ?? ""} after={file.after ?? ""} />
        ))}
      </div>
    </Dialog>
  );
}
