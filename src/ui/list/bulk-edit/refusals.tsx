/** Documents that a change refuses, by reason. */
import type { Refused } from "./bulk-edit-requests.ts";

const MAX_NAMES = 5;
const MAX_REASONS = 20;

const formatNames = (refused: readonly Refused[]): string => {
  const names = refused.slice(0, MAX_NAMES).map(({ name, documentId }) => name ?? documentId);
  const more = refused.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more.toLocaleString()} more` : names.join(", ");
};

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
