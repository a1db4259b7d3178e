/** The combobox that searches documents to link on the server. Loaded on demand. */
import * as combobox from "@zag-js/combobox";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../api/client.ts";
import { StatusBadge } from "../../list/status-badge.tsx";
import type { RelatedDocument } from "../form/values.ts";
import { nameOf } from "./related-items.ts";
import type { OpenRelationSearchProps } from "./relation-search-props.ts";

const SETTLE_MS = 150;
/** The value of the option that creates a document: no document id. Keys do not come to an option without a value. */
const NEW = "+ new";

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly item?: RelatedDocument;
}

const NEW_CHOICE: Choice = { value: NEW, label: "Create a new one…" };

export function OpenRelationSearch(props: OpenRelationSearchProps) {
  const { node, describedBy, placeholder, find, onChoose, onNew, text, isOpen } = props;
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [problem, setProblem] = useState<string>();
  const pending = useRef<{ timer?: ReturnType<typeof setTimeout>; controller?: AbortController }>({});

  const search = (text: string, delay: number): void => {
    clearTimeout(pending.current.timer);
    pending.current.controller?.abort();
    const controller = new AbortController();
    pending.current = {
      controller,
      timer: setTimeout(async () => {
        try {
          const found = await find(text, controller.signal);
          setChoices(found.map((item) => ({ value: item.documentId, label: nameOf(node.attribute, item), item })));
          setProblem(undefined);
        } catch (error) {
          if ((error as Error).name !== "AbortError") setProblem(messageOf(error));
        }
      }, delay),
    };
  };
  useEffect(() => {
    document.getElementById(node.id)?.focus();
    if (isOpen) search(text, 0);
    return () => {
      clearTimeout(pending.current.timer);
      pending.current.controller?.abort();
    };
  }, []);

  const all = [...choices, NEW_CHOICE];
  const service = useMachine(combobox.machine, {
    id: node.id,
    ids: { input: node.id },
    collection: combobox.collection({
      items: all,
      itemToValue: ({ value }) => value,
      itemToString: ({ label }) => label,
    }),
    value: [],
    defaultInputValue: text,
    defaultOpen: isOpen,
    selectionBehavior: "clear",
    openOnClick: true,
    // "fixed" also works inside dialogs, which are in the top layer
    positioning: { placement: "bottom-start", strategy: "fixed", sameWidth: true },
    placeholder,
    onOpenChange: ({ open }) => {
      if (open) search("", 0);
    },
    onInputValueChange: ({ inputValue }) => search(inputValue, SETTLE_MS),
    onValueChange: ({ items }) => {
      const choice = items[0] as Choice | undefined;
      if (choice?.item) onChoose(choice.item);
      else if (choice) onNew();
    },
  });
  const view = combobox.connect(service, normalizeProps);
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
            {all.map((choice) => (
              <div key={choice.value} {...view.getItemProps({ item: choice })} class="menu-item menu-row">
                <span>{choice.label}</span>
                {choice.item ? <StatusBadge status={choice.item.status} /> : null}
              </div>
            ))}
          </div>
        </div>
      ) : null}
      {problem ? <p class="field-problem">{problem}</p> : null}
    </div>
  );
}
