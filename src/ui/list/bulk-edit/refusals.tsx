/** Documents that a change refuses, by reason. */
import { listText } from "../../list-text.ts";
import type { Refused } from "./bulk-edit-requests.ts";

const MAX_NAMES = 5;
const MAX_REASONS = 20;

const formatNames = (refused: readonly Refused[]): string =>
  listText(
    refused.map(({ name, documentId }) => name ?? documentId),
    MAX_NAMES,
  );

export function Refusals({ refused }: { readonly refused: readonly Refused[] }) {
  const byReason = [...Map.groupBy(refused, ({ reasons }) => reasons.join("; "))];
  if (byReason.length === 0) return null;
  return (
    <ul class="problem-list">
      {byReason.slice(0, MAX_REASONS).map(([reason, documents]) => (
        <li key={reason}>
          {reason}: {formatNames(documents)}
        </li>
      ))}
      {byReason.length > MAX_REASONS ? <li>And {byReason.length - MAX_REASONS} other reasons.</li> : null}
    </ul>
  );
}
