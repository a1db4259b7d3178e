/** How a document stands to what is published, in a word and a colour. */
const labels: Readonly<Record<string, string>> = { draft: "Draft", modified: "Modified", published: "Published" };

export function StatusBadge({ status }: { readonly status: unknown }) {
  const label = labels[String(status)];
  return label ? <span class={`status status-${status}`}>{label}</span> : null;
}
