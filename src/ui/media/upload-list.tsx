/** Pending and failed uploads. */
import { Button, IconButton } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";
import { cancelUpload, clearUploads, retryUploads, type UploadItem, uploads } from "./uploads.ts";

function summary(items: readonly UploadItem[]): string {
  const count = (state: UploadItem["state"]): number => items.filter((item) => item.state === state).length;
  const [done, failed] = [count("done"), count("failed")];
  const isPending = done + failed < items.length;
  const parts = [isPending ? `${done} of ${items.length} uploaded` : "", failed > 0 ? `${failed} failed` : ""];
  return parts.filter(Boolean).join(", ");
}

export function UploadList() {
  const items = uploads.value;
  if (items.length === 0) return null;
  return (
    <section class="uploads" aria-label="Uploads">
      <header class="row">
        <strong role="status">{summary(items)}</strong>
        {items.some(({ state }) => state === "failed") ? (
          <>
            <Button kind="link" text="Try again" onClick={retryUploads} />
            <Button kind="link" text="Clear" onClick={clearUploads} />
          </>
        ) : null}
      </header>
      <ul>
        {items.map(({ id, name, state, part, problem }) => (
          <li key={id} class="row">
            <span class="one-line upload-name">{name}</span>
            {state === "done" ? <Icon name="check" /> : null}
            {state === "queued" || state === "sending" ? <progress max={1} value={part} aria-label={name} /> : null}
            {state === "done" ? null : (
              <IconButton icon="close" label={`Remove: ${name}`} onClick={() => cancelUpload(id)} />
            )}
            {problem ? <span class="field-problem">{problem}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
