/** Files: chosen in the media library, dropped, or pasted. */
import { useState } from "preact/hooks";
import { describeFile, isAllowed, isImage, type MediaFile, thumbnailOf, uploadFiles } from "../../media/media-files.ts";
import { pickFiles } from "../../media/pick-files.tsx";
import { siteUrl } from "../../page-paths.ts";
import { IconButton } from "../../widgets/button.tsx";
import { DragHandle } from "../../widgets/drag-handle.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { moved, type Sortable, useSortable } from "../../widgets/sortable.ts";
import { attempt, showProblem } from "../../widgets/toasts.tsx";
import type { FieldProps } from "./field-props.ts";

interface FileItemProps {
  readonly file: MediaFile;
  readonly place: Sortable;
  readonly isReadOnly: boolean;
  readonly remove: () => void;
  readonly changed: (file: MediaFile) => void;
}

function FileItem({ file, place, isReadOnly, remove, changed }: FileItemProps) {
  const sortable = useSortable(place);
  return (
    <li class="file" ref={sortable.item}>
      <DragHandle sortable={sortable} name={file.name} />
      {isImage(file) ? <img src={thumbnailOf(file)} alt="" /> : <Icon name="documents" />}
      <span class="file-text">
        <a class="one-line" href={siteUrl(file.url)} target="_blank" rel="noreferrer">
          {file.name}
        </a>
        {isImage(file) ? (
          <input
            class="input input-small"
            aria-label={`Alternative text of ${file.name}`}
            placeholder="Alternative text"
            readOnly={isReadOnly}
            value={file.alternativeText ?? ""}
            onChange={async ({ currentTarget }) => {
              await attempt(async () => {
                changed(await describeFile(file.id, { alternativeText: currentTarget.value }));
              });
            }}
          />
        ) : null}
      </span>
      {isReadOnly ? null : <IconButton icon="close" label={`Remove ${file.name}`} onClick={remove} />}
    </li>
  );
}

export function MediaField({ node, isReadOnly, describedBy }: FieldProps) {
  const [isBusy, setIsBusy] = useState(false);
  const files = node.value.value as readonly MediaFile[];
  const isMultiple = node.attribute.multiple === true;
  const allowed = node.attribute.allowedTypes as readonly string[] | undefined;
  const current = (): readonly MediaFile[] => node.value.peek() as readonly MediaFile[];
  const add = (added: readonly MediaFile[]): void => {
    const present = new Set(current().map(({ id }) => id));
    node.value.value = isMultiple ? [...current(), ...added.filter(({ id }) => !present.has(id))] : added.slice(0, 1);
  };
  const canMove = files.length > 1 && !isReadOnly;
  const move = (from: number, to: number): void => {
    node.value.value = moved(current(), from, to);
  };
  const upload = async (list: readonly File[]): Promise<void> => {
    if (list.length === 0 || isReadOnly) return;
    setIsBusy(true);
    await attempt(async () => {
      const uploaded = await uploadFiles(isMultiple ? list : list.slice(0, 1));
      const usable = uploaded.filter((file) => isAllowed(file, allowed));
      if (usable.length < uploaded.length)
        showProblem(new Error(`Uploaded, but not added here: only ${allowed?.join(", ")} are allowed`));
      add(usable);
    });
    setIsBusy(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped or pasted can be chosen with the button, too
    <div
      class="files"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        const dropped = [...(event.dataTransfer?.files ?? [])];
        if (dropped.length === 0) return;
        event.preventDefault();
        void upload(dropped);
      }}
      onPaste={(event) => {
        const pasted = [...(event.clipboardData?.files ?? [])];
        if (pasted.length === 0) return;
        event.preventDefault();
        void upload(pasted);
      }}
    >
      {files.length > 0 ? (
        <ul>
          {files.map((file, index) => (
            <FileItem
              key={file.id}
              file={file}
              place={{ listId: node.id, index, count: files.length, isDisabled: !canMove, move }}
              isReadOnly={isReadOnly}
              remove={() => {
                node.value.value = current().filter(({ id }) => id !== file.id);
              }}
              changed={(described) =>
                node.load(current().map((item) => (item.id === described.id ? { ...item, ...described } : item)))
              }
            />
          ))}
        </ul>
      ) : null}
      {isReadOnly ? (
        files.length === 0 && <p class="muted">No file</p>
      ) : (
        <button
          type="button"
          id={node.id}
          class="drop-zone"
          aria-describedby={describedBy}
          disabled={isBusy}
          onClick={async () => {
            const picked = await pickFiles({ isMultiple, allowed });
            if (picked) add(picked);
          }}
        >
          <Icon name="media" />
          {isBusy ? "Uploading…" : files.length > 0 && !isMultiple ? "Replace" : "Choose, drop or paste"}
        </button>
      )}
    </div>
  );
}
