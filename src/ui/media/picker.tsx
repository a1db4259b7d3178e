/** The dialog that files are chosen in: a search, the library's images, and a place to drop new ones. */
import { useState } from "preact/hooks";
import { countText } from "../count-text.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { Icon } from "../widgets/icon.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { attempt, showProblem } from "../widgets/toasts.tsx";
import { useFileInput } from "../widgets/use-file-input.tsx";
import { isAllowed, type MediaFile, uploadFiles } from "./media-files.ts";
import type { PickRequest } from "./pick-request.ts";
import { Thumbnail } from "./thumbnail.tsx";
import { usePickerFiles } from "./use-picker-files.ts";

/** In the place of files that have not come yet. */
const WAITING_FILES = 12;

interface PickerFileProps {
  readonly file: MediaFile;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
  readonly onToggle: () => void;
}

const PickerFile = ({ file, isChosen, isDisabled, onToggle }: PickerFileProps) => (
  <li>
    <button type="button" class="picker-file" aria-pressed={isChosen} disabled={isDisabled} onClick={onToggle}>
      <Thumbnail file={file} />
      <span class="one-line picker-name">{file.name}</span>
    </button>
  </li>
);

export function Picker({ isMultiple, allowed, answer }: PickRequest) {
  const { text, search, files, total, problem, showMore, addUploaded } = usePickerFiles();
  const [chosen, setChosen] = useState<readonly MediaFile[]>([]);
  const [isUploading, setIsUploading] = useState(false);

  const isChosen = ({ id }: MediaFile): boolean => chosen.some((file) => file.id === id);
  const toggle = (file: MediaFile): void => {
    if (!isMultiple) return answer([file]);
    setChosen(isChosen(file) ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file]);
  };
  const upload = async (list: readonly File[]): Promise<void> => {
    if (list.length === 0) return;
    setIsUploading(true);
    await attempt(async () => {
      const uploaded = await uploadFiles(list);
      addUploaded(uploaded);
      const usable = uploaded.filter((file) => isAllowed(file, allowed));
      const [refused] = uploaded.filter((file) => !usable.includes(file));
      if (refused)
        showProblem(new Error(`${refused.name} is in the library, but cannot be used here: ${refused.mime}`));
      if (isMultiple) setChosen((before) => [...before, ...usable]);
      else if (usable[0]) answer([usable[0]]);
    });
    setIsUploading(false);
  };
  const [input, chooseFiles] = useFileInput({ label: "Files to upload", isMultiple, onFiles: upload });

  return (
    <Dialog
      title={isMultiple ? "Choose files" : "Choose a file"}
      shape="wide"
      onClose={() => answer(undefined)}
      actions={
        isMultiple ? (
          <Button
            kind="primary"
            text={chosen.length === 0 ? "Use files" : `Use ${countText(chosen.length, "file")}`}
            disabled={chosen.length === 0}
            onClick={() => answer(chosen)}
          />
        ) : null
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be chosen with the button, too */}
      <div
        class="picker"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void upload([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <div class="picker-tools">
          <label class="search">
            <Icon name="search" />
            <input
              type="search"
              class="input"
              aria-label="Search files"
              placeholder="Search"
              value={text}
              onInput={({ currentTarget }) => search(currentTarget.value)}
            />
          </label>
          {input}
          <Button
            icon="add"
            text={isUploading ? "Uploading…" : "Upload"}
            disabled={isUploading}
            onClick={chooseFiles}
          />
        </div>
        <Alert text={problem} />
        {total === 0 ? <p class="muted">{text === "" ? "No files yet: drop some here." : "No files match."}</p> : null}
        {total === undefined && !problem ? <SkeletonLines class="picker-grid" count={WAITING_FILES} /> : null}
        <ul class="picker-grid">
          {files.map((file) => (
            <PickerFile
              key={file.id}
              file={file}
              isChosen={isChosen(file)}
              isDisabled={!isAllowed(file, allowed)}
              onToggle={() => toggle(file)}
            />
          ))}
        </ul>
        {total !== undefined && files.length < total ? <Button text="Show more" onClick={showMore} /> : null}
      </div>
    </Dialog>
  );
}
