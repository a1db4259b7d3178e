/** The combobox that searches documents to link on the server. Loaded on demand. */
import * as combobox from "@zag-js/combobox";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { StatusBadge } from "../../list/status-badge.tsx";
import { useContentChanges } from "../../use-content-changes.ts";
import { relatedName } from "../form/related-names.ts";
import type { RelatedDocument } from "../form/values.ts";
import type { OpenRelationSearchProps } from "./relation-search-props.ts";
import { machine } from "./search-machine.ts";

const SETTLE_MS = 150;
/** The value of the option that creates a document: no document id. Keys do not come to an option without a value. */
const NEW = "+ new";

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly item?: RelatedDocument;
}

const NEW_CHOICE: Choice = { value: NEW, label: "Create a new one…" };

const createCollection = (items: readonly Choice[]) =>
  combobox.collection({
    items,
    itemToValue: ({ value }) => value,
    itemToString: ({ label }) => label,
  });

/** The same list as before if the same documents are found, as they are for most keys: nothing is rendered then. */
const updated = (before: readonly Choice[], found: readonly Choice[]): readonly Choice[] =>
  JSON.stringify(found) === JSON.stringify(before) ? before : found;

export function OpenRelationSearch(props: OpenRelationSearchProps) {
  const { node, describedBy, placeholder, find, onChoose, onNew, text, isOpen } = props;
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [problem, setProblem] = useState<string>();
  const pending = useRef<{ timer?: ReturnType<typeof setTimeout>; controller?: AbortController }>({});

  /** By the text that was searched for, until content changes: who goes back to a shorter text waits for nothing. */
  const answers = useRef(new Map<string, readonly Choice[]>());
  useContentChanges(() => answers.current.clear());

  const show = (found: readonly Choice[]): void => {
    setChoices((before) => updated(before, found));
    setProblem(undefined);
  };
  const searched = useRef(text);
  const search = (text: string, delay: number): void => {
    searched.current = text;
    clearTimeout(pending.current.timer);
    pending.current.controller?.abort();
    pending.current = {};
    const known = answers.current.get(text);
    if (known) return show(known);
    const controller = new AbortController();
    pending.current = {
      controller,
      timer: setTimeout(async () => {
        try {
          const found = await find(text, controller.signal);
          const next = found.map((item) => ({
            value: item.documentId,
            label: relatedName(node.attribute, item),
            item,
          }));
          answers.current.set(text, next);
          show(next);
        } catch (error) {
          if ((error as Error).name !== "AbortError") setProblem(errorMessage(error));
        }
      }, delay),
    };
  };
  // before the page is drawn, so that no key is lost between the two inputs; the next one belongs behind what is typed
  useLayoutEffect(() => {
    const input = document.getElementById(node.id) as HTMLInputElement | null;
    input?.focus();
    input?.setSelectionRange(text.length, text.length);
  }, []);
  useEffect(() => {
    if (isOpen) search(text, 0);
    return () => {
      clearTimeout(pending.current.timer);
      pending.current.controller?.abort();
    };
  }, []);

  const collection = useMemo(() => createCollection([...choices, NEW_CHOICE]), [choices]);
  const service = useMachine(machine, {
    id: node.id,
    ids: { input: node.id },
    collection,
    value: [],
    defaultInputValue: text,
    defaultOpen: isOpen,
    selectionBehavior: "clear",
    openOnClick: true,
    // "fixed" also works inside dialogs, which are in the top layer
    positioning: { placement: "bottom-start", strategy: "fixed", sameWidth: true },
    placeholder,
    onOpenChange: ({ open }) => {
      if (!open) return;
      // what is linked by now is not found any more
      answers.current.clear();
      search("", 0);
    },
    onInputValueChange: ({ inputValue }) => search(inputValue, SETTLE_MS),
    onValueChange: ({ items }) => {
      const choice = items[0] as Choice | undefined;
      // what was found is not offered again before the next search: it is linked now
      setChoices([]);
      if (choice?.item) onChoose(choice.item);
      else if (choice) onNew(searched.current.trim());
    },
  });
  const view = combobox.connect(service, normalizeProps);
  // a key in the input renders none of them
  const options = useMemo(
    () =>
      view.open
        ? collection.items.map((choice) => (
            <div key={choice.value} {...view.getItemProps({ item: choice })} class="menu-item menu-row">
              <bdi>{choice.label}</bdi>
              {choice.item ? <StatusBadge status={choice.item.status} /> : null}
            </div>
          ))
        : null,
    [collection, view.open, view.highlightedValue],
  );
  const input = {
    ...view.getInputProps(),
    class: "input",
    "aria-labelledby": `${node.id}-label`,
    "aria-describedby": describedBy,
    "aria-invalid": node.problem.value !== undefined,
  };
  return (
    <div {...view.getRootProps()}>
      <div {...view.getControlProps()}>
        <input {...(input as object)} />
      </div>
      {view.open ? (
        <div {...view.getPositionerProps()}>
          <div {...view.getContentProps()} class="menu menu-long">
            {options}
          </div>
        </div>
      ) : null}
      {problem ? <p class="field-problem">{problem}</p> : null}
    </div>
  );
}
