/** Fields of a compared version, in which the words are marked that the other version does not have. */
import type { ComponentType } from "preact";
import { changedParts } from "../widgets/word-diff.ts";
import { editorField, loadOnce } from "./fields/editor-fields.tsx";
import type { FieldProps } from "./fields/field-props.ts";
import type { Group, Leaf } from "./form/tree.ts";

type Field = ComponentType<FieldProps>;
/** `ins` for the newer text, `del` for the older one. */
type Mark = "ins" | "del";

const markedText = (text: string, other: string, Mark: Mark): Field =>
  function MarkedText({ node }: FieldProps) {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a text under its label, not a set of fields
      <div class="changed-words" dir="auto" role="group" aria-labelledby={`${node.id}-label`}>
        {changedParts(text, other).map(({ text: part, isChanged }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
          isChanged ? <Mark key={index}>{part}</Mark> : part,
        )}
      </div>
    );
  };

const markedBlocks = (other: unknown, mark: Mark): Field =>
  editorField(
    loadOnce(async () => {
      const { mountBeside } = await import("../editors/blocks/changed-blocks.ts");
      return { mount: mountBeside(other, mark) };
    }),
  );

const TEXTS: ReadonlySet<string> = new Set(["string", "text", "richtext", "email", "uid"]);

function fieldOf({ attribute, value }: Leaf, other: Leaf, mark: Mark): Field | undefined {
  const [own, compared] = [value.peek(), other.value.peek()];
  if (JSON.stringify(own) === JSON.stringify(compared)) return undefined;
  if (attribute.type === "blocks") return markedBlocks(compared, mark);
  return TEXTS.has(attribute.type) ? markedText(String(own ?? ""), String(compared ?? ""), mark) : undefined;
}

/** Those of `group`, and of its entries, beside the entries of the same place and component. */
export function markedFields(group: Group, other: Group, mark: Mark): ReadonlyMap<Leaf, Field> {
  const pairs = [...group.nodes].flatMap(([name, node]): (readonly [Leaf, Field])[] => {
    const compared = other.nodes.get(name);
    if (node.kind === "leaf") {
      const field = compared?.kind === "leaf" ? fieldOf(node, compared, mark) : undefined;
      return field ? [[node, field]] : [];
    }
    const entries = compared?.kind === "entries" ? compared.entries.peek() : [];
    return node.entries.peek().flatMap((entry, index) => {
      const beside = entries[index];
      return beside && beside.component === entry.component ? [...markedFields(entry, beside, mark)] : [];
    });
  });
  return new Map(pairs);
}
