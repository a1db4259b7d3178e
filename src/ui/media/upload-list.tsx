/** Pending and failed uploads. */
import { Icon } from "../widgets/icon.tsx";
import { cancelUpload, clearUploads, retryUploads, type UploadItem, uploads } from "./uploads.ts";

const isFinished = ({ state }: UploadItem): boolean => state === "done" || state === "failed";

function summary(items: readonly UploadItem[]): string {
  const pending = items.filter((item) => !isFinished(item)).length;
  const failed = items.filter(({ state }) => state === "failed").length;
  const parts = [pending > 0 ? `Uploading ${pending} of ${items.length}` : "", failed > 0 ? `${failed} failed` : ""];
  return parts.filter(Boolean).join(", ");
}

export function UploadList() {
  const items = uploads.value;
  if (items.length === 0) return null;
  const hasFailed = items.some(({ state }) => state === "failed");
  return (
    <section class="uploads" aria-label="Uploads">
      <header>
        <strong role="status">{summary(items)}</strong>
        <button type="button" class="button-link" disabled={!hasFailed} onClick={retryUploads}>
          Try again
        </button>
        <button type="button" class="button-link" disabled={!hasFailed} onClick={clearUploads}>
          Clear
        </button>
      </header>
      <ul>
        {items.map(({ id, name, state, part, problem }) => (
          <li key={id}>
            <span class="upload-name">{name}</span>
            {state === "done" ? <Icon name="check" /> : null}
            {state === "queued" || state === "sending" ? <progress max={1} value={part} aria-label={name} /> : null}
            {state === "done" ? null : (
              <button type="button" class="button-icon" aria-label={`Remove: ${name}`} onClick={() => cancelUpload(id)}>
                <Icon name="close" />
              </button>
            )}
            {problem ? <span class="field-problem">{problem}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
