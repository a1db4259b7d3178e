/** A choice from a list, which opens below it and is searched by typing: the combobox of the ARIA practices. */
import { useId, useRef, useState } from "preact/hooks";
import { SelectList, type SelectOption } from "./select-list.tsx";

export interface SelectProps {
  /** For a label elsewhere. */
  readonly id?: string;
  readonly label?: string | undefined;
  readonly class?: string;
  readonly value: string | undefined;
  readonly options: Iterable<SelectOption>;
  /** Called for a choice with Enter or a click, which may be the value that there is. */
  readonly onChoose: (value: string) => void;
  /** Shown while the value is none of the options. */
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
  readonly controls?: string;
}

/** Lists as short as this are read rather than searched: telephones show no keyboard for them. */
const SHORT = 8;
const PAGE = 10;

/** Without case and accents. */
const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Those that begin with the text come first. */
function matching(options: readonly SelectOption[], search: string): readonly SelectOption[] {
  if (search === "") return options;
  const { first = [], other = [] } = Object.groupBy(
    options.filter(([, label]) => folded(label).includes(search)),
    ([, label]) => (folded(label).startsWith(search) ? "first" : "other"),
  );
  return [...first, ...other];
}

/** An open list. */
interface Opened {
  /** What was typed since it opened. */
  readonly typed?: string;
  /** The index of the option that Enter chooses. */
  readonly active: number;
}

export function Select(props: SelectProps) {
  const { value, options, onChoose, placeholder = "", isDisabled = false } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const element = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<Opened>();
  const isChoosing = useRef(false);
  const all = [...options];
  const text = all.find(([option]) => option === value)?.[1] ?? "";
  const shown = opened ? matching(all, folded(opened.typed ?? "")) : [];
  const active = Math.max(0, Math.min(opened?.active ?? 0, shown.length - 1));

  const open = (): void => {
    if (opened || isDisabled) return;
    setOpened({ active: all.findIndex(([option]) => option === value) });
    // what is typed next replaces the text
    element.current?.select();
  };
  const close = (): void => setOpened(undefined);
  const choose = (option: SelectOption | undefined): void => {
    close();
    if (!option) return;
    onChoose(option[0]);
    // as from any other input: dialogs ask before they are closed
    isChoosing.current = true;
    element.current?.dispatchEvent(new Event("input", { bubbles: true }));
    isChoosing.current = false;
  };
  const move = (to: number): void => setOpened({ ...opened, active: Math.max(0, Math.min(to, shown.length - 1)) });
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    PageDown: () => move(active + PAGE),
    PageUp: () => move(active - PAGE),
    Home: () => move(0),
    End: () => move(shown.length - 1),
    Enter: () => choose(shown[active]),
    Escape: close,
    // until something is typed, as in the lists of browsers
    ...(opened?.typed === undefined ? { " ": () => choose(shown[active]) } : {}),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || isDisabled) return;
    // who typed the beginning of an option goes on with it chosen
    if (event.key === "Tab" && opened?.typed) return choose(shown[active]);
    const handle = opened ? keys[event.key] : OPENING_KEYS.has(event.key) ? open : undefined;
    if (!handle) return;
    event.preventDefault();
    // an open list is what Escape closes, not the dialog around it
    event.stopPropagation();
    if (opened && event.altKey && event.key === "ArrowUp") choose(shown[active]);
    else handle();
  };
  return (
    <>
      <input
        ref={element}
        id={id}
        class={`${props.class ?? "input"} select`}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={opened !== undefined}
        aria-controls={opened ? `${id}-list` : props.controls}
        aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
        aria-label={props.label}
        aria-invalid={props.isInvalid}
        aria-describedby={props.describedBy}
        autocomplete="off"
        spellcheck={false}
        inputMode={all.length > SHORT ? "search" : "none"}
        placeholder={placeholder}
        required={props.isRequired}
        disabled={isDisabled}
        value={opened?.typed ?? text}
        onClick={open}
        onBlur={close}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          if (!isChoosing.current) setOpened({ typed: currentTarget.value, active: 0 });
        }}
      />
      {opened ? (
        <SelectList id={id} input={element.current!} options={shown} active={active} value={value} onChoose={choose} />
      ) : null}
    </>
  );
}

const OPENING_KEYS = new Set(["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp", "Enter", " "]);

interface SelectFieldProps extends Omit<SelectProps, "id" | "label"> {
  readonly label: string;
  /** For one of several fields with the same label. */
  readonly fullLabel?: string;
  readonly hint?: string;
}

/** With its label above it. */
export function SelectField({ label, fullLabel, hint, ...props }: SelectFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <Select {...props} id={id} label={fullLabel} {...(hint ? { describedBy: `${id}-hint` } : {})} />
      {hint ? (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      ) : null}
    </div>
  );
}
