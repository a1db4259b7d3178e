/** Buttons above an editor: one stop for Tab, arrow keys between them. */
import { useRef, useState } from "preact/hooks";
import { Strokes } from "../widgets/icon.tsx";
import { Select } from "../widgets/select.tsx";

/** 16 × 16 strokes in the colour of the text. */
const icons = {
  bold: "M4.5 2.5h4.2a2.7 2.7 0 0 1 0 5.4H4.5zM4.5 7.9h5a2.8 2.8 0 0 1 0 5.6h-5z",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  codeBlock: "M2 3h12v10H2zM6.3 6 4.5 8l1.8 2M9.7 6l1.8 2-1.8 2",
  find: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2",
  format:
    "M6 2.5c-2 0-2 1-2 2.5S3.5 8 2.5 8c1 0 1.5 1.5 1.5 3s0 2.5 2 2.5M10 2.5c2 0 2 1 2 2.5s.5 3 1.5 3c-1 0-1.5 1.5-1.5 3s0 2.5-2 2.5",
  heading: "M4 3v10M12 3v10M4 8h8",
  image: "M2 3h12v10H2zM2 11l3.5-3.5L8 10l2.5-2.5L14 11M10.5 5.5v.01",
  indent: "M2.5 3h11M7 6.3h6.5M7 9.7h6.5M2.5 13h11M2.5 6.2 4.5 8l-2 1.8",
  italic: "M7 2.5h5M4 13.5h5M9.5 2.5l-3 11",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1-1a3 3 0 0 1 4.3 4.3l-1.2 1M9 11.5l-1 1a3 3 0 0 1-4.3-4.3l1.2-1",
  ordered: "M6.5 4h7M6.5 8h7M6.5 12h7M2 3.2l1-.7v3M2 10.6c.3-.8 1.8-.8 1.8.2 0 .7-1.8 1.4-1.8 2.2h2",
  outdent: "M2.5 3h11M7 6.3h6.5M7 9.7h6.5M2.5 13h11M4.5 6.2 2.5 8l2 1.8",
  preview:
    "M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  quote: "M3 5.5h3.5v3.2c0 1.5-.8 2.4-2.3 2.8M9.5 5.5H13v3.2c0 1.5-.8 2.4-2.3 2.8",
  redo: "M10.5 3.5 13 6l-2.5 2.5M13 6H6.2a3.4 3.4 0 0 0 0 6.8H9",
  strikethrough:
    "M2.5 8h11M11.5 4.6C11 3.3 9.7 2.5 8 2.5c-2 0-3.4 1-3.4 2.6 0 1 .6 1.7 1.7 2.2M4.4 11c.4 1.5 1.8 2.5 3.6 2.5 2.1 0 3.6-1.1 3.6-2.8",
  underline: "M4.5 2.5v5a3.5 3.5 0 0 0 7 0v-5M3.5 13.5h9",
  undo: "M5.5 3.5 3 6l2.5 2.5M3 6h6.8a3.4 3.4 0 0 1 0 6.8H7",
  unordered: "M6.5 4h7M6.5 8h7M6.5 12h7M3 4v.01M3 8v.01M3 12v.01",
} as const;

export interface Tool {
  readonly label: string;
  readonly icon: keyof typeof icons;
  /** As `aria-keyshortcuts` has them. */
  readonly keys?: string;
  /** Undefined for what is done once, rather than on or off. */
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

/** "Control+Shift+X" as it stands on keys. */
const shownKeys = (keys: string): string => keys.replaceAll("Control", "Ctrl");

function ToolButton({ tool, tabIndex }: { readonly tool: Tool; readonly tabIndex: number }) {
  const { label, icon, keys, isPressed, isDisabled = false, run } = tool;
  return (
    <button
      type="button"
      class="button-icon tool"
      aria-label={label}
      title={keys ? `${label} (${shownKeys(keys)})` : label}
      aria-keyshortcuts={keys}
      aria-pressed={isPressed}
      aria-disabled={isDisabled}
      tabIndex={tabIndex}
      // the editor keeps its selection
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        if (!isDisabled) run();
      }}
    >
      <Strokes path={icons[icon]} />
    </button>
  );
}

/** A choice before the buttons: what kind of line or block the selection is. */
export interface KindChoice {
  readonly label: string;
  readonly value: string;
  /** One without a value cannot be chosen. */
  readonly kinds: readonly (readonly [value: string, label: string])[];
  readonly isDisabled: boolean;
  readonly choose: (value: string) => void;
}

function KindSelect({ kind, controls }: { readonly kind: KindChoice; readonly controls: string }) {
  const { label, value, kinds, isDisabled, choose } = kind;
  return (
    <Select
      class="input tool-select"
      label={label}
      controls={controls}
      isDisabled={isDisabled}
      value={value}
      options={kinds.filter(([kind]) => kind !== "")}
      placeholder={kinds.find(([kind]) => kind === "")?.[1] ?? ""}
      onChoose={choose}
    />
  );
}

interface ToolbarProps {
  readonly label: string;
  /** The id of the editor's element. */
  readonly controls: string;
  /** Their functions read the editor's state when they are called: those of an earlier rendering may be. */
  readonly groups: readonly (readonly Tool[])[];
  readonly kind?: KindChoice;
}

export function Toolbar({ label, controls, groups, kind }: ToolbarProps) {
  const element = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const count = groups.flat().length;
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: (current + 1) % count,
    ArrowLeft: (current + count - 1) % count,
    Home: 0,
    End: count - 1,
  };
  let index = 0;
  return (
    <div class="editor-toolbar">
      {kind ? <KindSelect kind={kind} controls={controls} /> : null}
      <div
        ref={element}
        role="toolbar"
        aria-label={label}
        aria-controls={controls}
        class="editor-tools"
        onKeyDown={(event) => {
          const target = targets[event.key];
          if (target === undefined) return;
          event.preventDefault();
          setCurrent(target);
          element.current?.querySelectorAll<HTMLElement>(".tool")[target]?.focus();
        }}
      >
        {groups.map((group) => (
          <span class="tool-group" key={group[0]?.label}>
            {group.map((tool) => (
              <ToolButton key={tool.label} tool={tool} tabIndex={index++ === current ? 0 : -1} />
            ))}
          </span>
        ))}
      </div>
    </div>
  );
}
