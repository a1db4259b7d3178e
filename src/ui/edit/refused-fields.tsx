/** After a save that was refused: the fields to correct, as links to them. Each goes when it is corrected. */
import { formatLabel } from "../model.ts";
import { Button } from "../widgets/button.tsx";
import type { Group, Node } from "./form/tree.ts";
import { focusField } from "./use-saving.ts";

/** More are found once the first are corrected. */
const MAX_SHOWN = 8;

interface Refused {
  readonly node: Node;
  /** From the document down. */
  readonly label: string;
}

function refusedIn(group: Group, path: readonly string[] = []): Refused[] {
  return [...group.nodes.values()].flatMap((node) => {
    const names = [...path, formatLabel(node.name)];
    const own = node.problem.value === undefined ? [] : [{ node, label: names.join(" › ") }];
    return node.kind === "leaf" ? own : [...own, ...node.entries.value.flatMap((entry) => refusedIn(entry, names))];
  });
}

export function RefusedFields({ form }: { readonly form: Group }) {
  const refused = refusedIn(form);
  if (refused.length === 0) return null;
  return (
    <nav class="notice notice-problem" aria-label="Fields to correct">
      <span>To correct:</span>
      {refused.slice(0, MAX_SHOWN).map(({ node, label }) => (
        <Button key={node.id} kind="link" text={label} onClick={() => focusField(node)} />
      ))}
      {refused.length > MAX_SHOWN ? <span>and {refused.length - MAX_SHOWN} more</span> : null}
    </nav>
  );
}
