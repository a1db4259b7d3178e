/** The input of a relation, which searches documents to link on the server. */
import { useEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { StatusBadge } from "../../list/status-badge.tsx";
import { useContentChanges } from "../../use-content-changes.ts";
import { Alert } from "../../widgets/alert.tsx";
import { Combobox } from "../../widgets/combobox.tsx";
import type { Option } from "../../widgets/combobox-list.tsx";
import { relatedName } from "../form/related-names.ts";
import type { Leaf } from "../form/tree.ts";
import type { RelatedDocument } from "../form/values.ts";

interface RelationSearchProps {
  readonly node: Leaf;
  readonly describedBy: string;
  readonly placeholder: string;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly RelatedDocument[]>;
  readonly onChoose: (item: RelatedDocument) => void;
  /** `text`: what was searched for. */
  readonly onNew: (text: string) => void;
}

const SETTLE_MS = 150;
/** The option that creates a document; its value is no document id. */
const NEW: Option = ["+ new", "Create a new one…"];

export function RelationSearch({ node, describedBy, placeholder, find, onChoose, onNew }: RelationSearchProps) {
  const [found, setFound] = useState<readonly RelatedDocument[]>([]);
  const [problem, setProblem] = useState<string>();
  const searched = useRef("");
  const pending = useRef(new AbortController());
  /** By the text that was searched for, until content changes: who goes back to a shorter text waits for nothing. */
  const answers = useRef(new Map<string, readonly RelatedDocument[]>());
  useContentChanges(() => answers.current.clear());
  useEffect(() => () => pending.current.abort(), []);

  const show = (items: readonly RelatedDocument[]): void => {
    setFound(items);
    setProblem(undefined);
  };
  const search = (text: string, isOpening: boolean): void => {
    searched.current = text;
    // what is linked by now is not found any more
    if (isOpening) answers.current.clear();
    pending.current.abort();
    const known = answers.current.get(text);
    if (known) return show(known);
    pending.current = new AbortController();
    const { signal } = pending.current;
    const load = async (): Promise<void> => {
      if (signal.aborted) return;
      try {
        const items = await find(text, signal);
        answers.current.set(text, items);
        if (!signal.aborted) show(items);
      } catch (error) {
        if (!signal.aborted) setProblem(errorMessage(error));
      }
    };
    setTimeout(load, isOpening ? 0 : SETTLE_MS);
  };
  const choose = (value: string): void => {
    // what was found is not offered again before the next search: it is linked now
    setFound([]);
    const item = found.find(({ documentId }) => documentId === value);
    if (item) onChoose(item);
    else onNew(searched.current.trim());
  };
  return (
    <div>
      <Combobox
        id={node.id}
        labelledBy={`${node.id}-label`}
        describedBy={describedBy}
        isInvalid={node.problem.value !== undefined}
        placeholder={placeholder}
        value={undefined}
        text=""
        options={[
          ...found.map(
            (item): Option => [
              item.documentId,
              relatedName(node.attribute, item),
              <StatusBadge key="status" status={item.status} />,
            ],
          ),
          NEW,
        ]}
        onSearch={search}
        onChoose={choose}
      />
      <Alert text={problem} />
    </div>
  );
}
