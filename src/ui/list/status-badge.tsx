/** The publication status of a document. */
const labels: Readonly<Record<string, string>> = { draft: "Draft", modified: "Modified", published: "Published" };

export function StatusBadge({ status }: { readonly status: unknown }) {
  const label = labels[String(status)];
  return label ? <span class={`status status-${status}`}>{label}</span> : null;
}
