/** A previewed site beside the form. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { documentHref } from "../document-href.ts";
import type { Node } from "../edit/form/tree.ts";
import type { OpenDocument } from "../edit/open-document.ts";
import { focusField } from "../edit/use-saving.ts";
import { findType, hasDrafts } from "../model.ts";
import { goTo, PREVIEW_PARAM } from "../router.ts";
import { Button, IconButton } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { Icon } from "../widgets/icon.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { connectFrame, type FrameConnection } from "./frame-messages.ts";
import type { Source } from "./messages.ts";

export type PreviewStatus = "draft" | "published";

interface PreviewPaneProps {
  readonly open: OpenDocument;
  readonly section: RefObject<HTMLElement | null>;
  readonly url: string;
  readonly status: PreviewStatus;
  readonly onStatus: (status: PreviewStatus) => void;
  readonly onClose: () => void;
}

async function openOther({ documentId, model, locale }: Source): Promise<void> {
  const type = findType(model ?? "");
  if (!type) return showProblem(new Error("This text is part of another document"));
  const isConfirmed = await confirm({
    title: "Open the other document?",
    text: `This text is part of another document of ${type.info.displayName}.`,
    action: "Open it",
  });
  if (isConfirmed) goTo(documentHref({ uid: type.uid, documentId }, { locale, [PREVIEW_PARAM]: "open" }));
}

/** Windows in which the pane covers the form, as in `styles/preview.css`. */
const COVERS_FORM = "(width < 900px)";

/** Sandboxed, since a site need not lead the whole window elsewhere. It has an origin of its own, which it keeps. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-downloads";

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}

const Choice = <Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere
  <div class={`preview-choice preview-choice-${label.toLowerCase()}`} role="group" aria-label={label}>
    {choices.map(([name, text]) => (
      <Button key={name} kind="small" text={text} aria-pressed={name === value} onClick={() => onChange(name)} />
    ))}
  </div>
);

export function PreviewPane({ open, section, url, status, onStatus, onClose }: PreviewPaneProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const connection = useRef<FrameConnection>(undefined);
  const [width, setWidth] = useState<"wide" | "phone">("wide");
  useEffect(() => {
    document.documentElement.classList.add("has-preview");
    return () => document.documentElement.classList.remove("has-preview");
  }, []);
  useEffect(() => {
    if (!frame.current || !section.current) return;
    const focus = (node: Node): void => {
      if (window.matchMedia(COVERS_FORM).matches) onClose();
      focusField(node);
    };
    const isDraft = status === "draft";
    const options = { open, frame: frame.current, section: section.current, focus, isDraft };
    const connected = connectFrame(url, { ...options, onOther: (source) => void openOther(source) });
    connection.current = connected;
    frame.current.src = url;
    return () => connected.close();
  }, [url]);
  const version = open.version.value;
  const saved = `${version?.updatedAt} ${version?.status}`;
  const shown = useRef(saved);
  useEffect(() => {
    if (shown.current === saved || !frame.current) return;
    shown.current = saved;
    if (connection.current?.isReady()) connection.current.update();
    // a site that does not listen is loaded again
    else frame.current.src = url;
  }, [saved]);
  return (
    <aside class="preview-pane" aria-label="Preview">
      <header class="row preview-head">
        {hasDrafts(open.type) ? (
          <Choice
            label="Version"
            value={status}
            choices={[
              ["draft", "Draft"],
              ["published", "Published"],
            ]}
            onChange={onStatus}
          />
        ) : null}
        <Choice
          label="Width"
          value={width}
          choices={[
            ["wide", "Full width"],
            ["phone", "Phone"],
          ]}
          onChange={setWidth}
        />
        <a class="button-icon" href={url} target="_blank" rel="noreferrer" aria-label="Open the preview in a new tab">
          <Icon name="external" />
        </a>
        <IconButton icon="close" label="Close the preview" onClick={onClose} />
      </header>
      <iframe ref={frame} class={`preview-frame preview-${width}`} title="Preview of the document" sandbox={SANDBOX} />
    </aside>
  );
}
