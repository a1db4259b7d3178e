/** The input of a relation. The combobox replaces it when it first has the focus. */
import { useRef, useState } from "preact/hooks";
import { showProblem } from "../../widgets/toasts.tsx";
import type { RelationSearchProps } from "./relation-search-props.ts";

type OpenSearch = typeof import("./open-relation-search.tsx").OpenRelationSearch;

export function RelationSearch(props: RelationSearchProps) {
  const { node, describedBy, placeholder } = props;
  const [View, setView] = useState<OpenSearch | undefined>(undefined);
  const typed = useRef("");
  const wasClicked = useRef(false);
  const click = (): void => {
    wasClicked.current = true;
  };
  if (View) return <View {...props} text={typed.current} isOpen={wasClicked.current || typed.current !== ""} />;
  const load = async (): Promise<void> => {
    try {
      const { OpenRelationSearch } = await import("./open-relation-search.tsx");
      // the focus may have moved on in the meantime
      if (document.activeElement?.id === node.id) setView(() => OpenRelationSearch);
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <input
      id={node.id}
      class="input"
      type="text"
      role="combobox"
      aria-expanded="false"
      aria-autocomplete="list"
      autocomplete="off"
      placeholder={placeholder}
      aria-labelledby={`${node.id}-label`}
      aria-describedby={describedBy}
      aria-invalid={node.problem.value !== undefined}
      onFocus={load}
      // the combobox may replace the input before the mouse button is released: there is no click then
      onMouseDown={click}
      onClick={click}
      onInput={({ currentTarget }) => {
        typed.current = currentTarget.value;
      }}
    />
  );
}
