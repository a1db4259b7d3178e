/** An input with a list below it, which typing searches: the combobox of the ARIA practices. What is found is its owner's matter. */
import { useRef, useState } from "preact/hooks";
import { ComboboxList, type Option } from "./combobox-list.tsx";

/** What comboboxes and selects have in common. */
export interface ComboboxInputProps {
  readonly class?: string;
  readonly label?: string | undefined;
  readonly value: string | undefined;
  /** Called for a choice with Enter or a click, which may be the value that there is. */
  readonly onChoose: (value: string) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
  readonly controls?: string;
}

interface ComboboxProps extends ComboboxInputProps {
  readonly id: string;
  readonly labelledBy?: string;
  /** Shown while the list is closed. */
  readonly text: string;
  readonly options: readonly Option[];
  /** Called with what is typed, and when the list opens. */
  readonly onSearch: (typed: string, isOpening: boolean) => void;
  /** Whether Enter chooses the first option before a key or the pointer has gone to one. */
  readonly isFirstActive?: boolean;
  readonly inputMode?: "search" | "none";
}

const PAGE = 10;
const OPENING_KEYS = new Set(["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp", "Enter", " "]);

/** An open list. */
interface Opened {
  /** What was typed since it opened. */
  readonly typed?: string;
  /** The value of the option that Enter chooses. */
  readonly active?: string | undefined;
}

export function Combobox(props: ComboboxProps) {
  const { id, value, text, options, onSearch, isDisabled = false, isFirstActive = false } = props;
  const element = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<Opened>();
  const isChoosing = useRef(false);
  const found = opened?.active === undefined ? -1 : options.findIndex(([option]) => option === opened.active);
  const active = found < 0 && isFirstActive && options.length > 0 ? 0 : found;

  const open = (): void => {
    if (opened || isDisabled) return;
    setOpened({ active: value });
    onSearch("", true);
    // what is typed next replaces the text
    element.current?.select();
  };
  const close = (): void => setOpened(undefined);
  const choose = (option: Option | undefined): void => {
    if (!option) return;
    close();
    props.onChoose(option[0]);
    // as from any other input: dialogs ask before they are closed
    isChoosing.current = true;
    element.current?.dispatchEvent(new Event("input", { bubbles: true }));
    isChoosing.current = false;
  };
  const activate = (option: Option | undefined): void => setOpened({ ...opened, active: option?.[0] });
  const move = (to: number): void => activate(options[Math.max(0, Math.min(to, options.length - 1))]);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active < 0 ? options.length - 1 : active - 1),
    PageDown: () => move(active + PAGE),
    PageUp: () => move(active - PAGE),
    Home: () => move(0),
    End: () => move(options.length - 1),
    Enter: () => choose(options[active]),
    Escape: close,
    // until something is typed, as in the lists of browsers
    ...(opened?.typed === undefined && active >= 0 ? { " ": () => choose(options[active]) } : {}),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.isComposing || isDisabled) return;
    // who typed the beginning of an option goes on with it chosen
    if (event.key === "Tab" && opened?.typed) return choose(options[active]);
    const handle = opened ? keys[event.key] : OPENING_KEYS.has(event.key) ? open : undefined;
    if (!handle) return;
    event.preventDefault();
    // an open list is what Escape closes, not the dialog around it
    event.stopPropagation();
    if (opened && event.altKey && event.key === "ArrowUp") choose(options[active]);
    else handle();
  };
  return (
    <>
      <input
        ref={element}
        id={id}
        class={props.class ?? "input"}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={opened !== undefined}
        aria-controls={opened ? `${id}-list` : props.controls}
        aria-activedescendant={opened && active >= 0 ? `${id}-${active}` : undefined}
        aria-label={props.label}
        aria-labelledby={props.labelledBy}
        aria-invalid={props.isInvalid}
        aria-describedby={props.describedBy}
        autocomplete="off"
        spellcheck={false}
        inputMode={props.inputMode ?? "search"}
        placeholder={props.placeholder ?? ""}
        required={props.isRequired}
        disabled={isDisabled}
        value={opened?.typed ?? text}
        onClick={open}
        onBlur={close}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          if (isChoosing.current) return;
          setOpened({ typed: currentTarget.value });
          onSearch(currentTarget.value, opened === undefined);
        }}
      />
      {opened ? (
        <ComboboxList
          id={id}
          anchor={element.current!}
          options={options}
          active={active}
          value={value}
          onChoose={choose}
          onActivate={activate}
        />
      ) : null}
    </>
  );
}
