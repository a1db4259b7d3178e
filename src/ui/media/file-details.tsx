/** The details of a file: texts, focal point, uses, and actions. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { commandKey } from "../command-key.ts";
import { lazy } from "../lazy.tsx";
import { siteUrl } from "../page-paths.ts";
import { sizeText } from "../size-text.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { TextField } from "../widgets/text-field.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import { useFileInput } from "../widgets/use-file-input.tsx";
import { canCrop } from "./crop.ts";
import { FileUses } from "./file-uses.tsx";
import { FocalPoint } from "./focal-point.tsx";
import { currentUrl, isImage, type MediaFile } from "./media-files.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { replaceFile } from "./uploads.ts";
import { forgetTexts, useFileTexts } from "./use-file-texts.ts";

const CropDialog = lazy(async () => (await import("./crop-dialog.tsx")).CropDialog);

/** What may replace a file: where documents show an image, they need another one. */
const acceptedLike = ({ mime }: MediaFile): string | undefined =>
  /^(?:image|video|audio)\//.exec(mime)?.[0].concat("*");

function Preview({ file }: { readonly file: MediaFile }) {
  const src = currentUrl(file, file.url);
  if (isImage(file)) return <img class="file-preview" src={src} alt="" />;
  // biome-ignore lint/a11y/useMediaCaption: files of the library have no captions of their own
  if (file.mime.startsWith("video/")) return <video class="file-preview" src={src} controls preload="metadata" />;
  // biome-ignore lint/a11y/useMediaCaption: the same
  if (file.mime.startsWith("audio/")) return <audio class="file-preview" src={src} controls preload="metadata" />;
  return null;
}

const Facts = ({ file }: { readonly file: MediaFile }) => (
  <p class="muted">
    {[
      file.mime,
      file.width && file.height ? `${file.width} × ${file.height}` : undefined,
      file.size === undefined ? undefined : sizeText(file.size * 1e3),
    ]
      .filter(Boolean)
      .join(" · ")}{" "}
    <a href={siteUrl(file.url)} target="_blank" rel="noreferrer">
      Open
    </a>
  </p>
);

const TextFields = ({ texts, set }: Pick<ReturnType<typeof useFileTexts>, "texts" | "set">) => (
  <>
    <TextField label="Name" value={texts.name} onChange={(name) => set({ name })} />
    <TextField
      label="Alternative text"
      hint="A description for people who cannot see the file."
      rows={2}
      value={texts.alternativeText}
      onChange={(alternativeText) => set({ alternativeText })}
    />
    <TextField label="Caption" rows={2} value={texts.caption} onChange={(caption) => set({ caption })} />
  </>
);

/** Asks before it does; returns whether it did. */
async function deleteFile({ id, name }: MediaFile): Promise<boolean> {
  const question = {
    title: `Delete ${name}?`,
    text: "It is removed from documents that use it. This cannot be undone.",
    action: "Delete",
    isDangerous: true,
  };
  if (!(await confirm(question))) return false;
  return attempt(async () => {
    await api.delete(`/upload/files/${id}`);
    showDone(`Deleted ${name}`);
  });
}

interface FormProps {
  readonly file: MediaFile;
  /** What is wrong with the file by now. */
  readonly notice: string | undefined;
  readonly onClose: () => void;
  /** The file, or what is listed, has changed. */
  readonly onChange: () => void;
  readonly onDeleted: () => void;
}

function DetailsForm({ file, notice, onClose, onChange, onDeleted }: FormProps) {
  const { texts, isChanged, isSaving, set, save } = useFileTexts(file, onChange);
  const [isMoving, setIsMoving] = useState(false);
  const [isCropping, setIsCropping] = useState(false);
  const [input, chooseFile] = useFileInput({
    label: "Replacement file",
    accept: acceptedLike(file),
    onFiles: ([chosen]) => chosen && replaceFile(file, chosen, onChange),
  });
  useDocumentEvent("keydown", (event) => {
    if (commandKey(event) !== "s") return;
    event.preventDefault();
    // no question is open above
    if (document.querySelectorAll("dialog[open]").length === 1) void save();
  });
  const close = async (): Promise<void> => {
    const question = {
      title: "Close without saving?",
      text: "Your changes to this file are lost.",
      action: "Discard",
    };
    if (isChanged && !(await confirm(question))) return;
    forgetTexts(file);
    onClose();
  };
  const remove = async (): Promise<void> => {
    if (!(await deleteFile(file))) return;
    forgetTexts(file);
    onDeleted();
  };

  return (
    <Dialog
      title={file.name}
      shape="side"
      onClose={close}
      actions={
        <>
          <button type="button" class="button button-ghost button-danger-text" onClick={remove}>
            Delete
          </button>
          <Button text="Move" onClick={() => setIsMoving(true)} />
          {canCrop(file.mime) ? <Button text="Crop" onClick={() => setIsCropping(true)} /> : null}
          <Button text="Replace" onClick={chooseFile} />
          <Button kind="primary" text="Save" disabled={!isChanged || isSaving} onClick={save} />
        </>
      }
    >
      <div class="file-details">
        <Alert text={notice} />
        {isImage(file) ? (
          <FocalPoint
            src={currentUrl(file, file.url)}
            point={texts.focalPoint}
            onChange={(focalPoint) => set({ focalPoint })}
          />
        ) : (
          <Preview file={file} />
        )}
        <Facts file={file} />
        <TextFields texts={texts} set={set} />
        <FileUses id={file.id} />
        {input}
      </div>
      {isCropping ? (
        <CropDialog
          file={file}
          src={currentUrl(file, file.url)}
          onChange={onChange}
          onClose={() => setIsCropping(false)}
        />
      ) : null}
      {isMoving ? (
        <MoveDialog
          files={[file.id]}
          folders={[]}
          onMoved={() => {
            setIsMoving(false);
            onChange();
          }}
          onClose={() => setIsMoving(false)}
        />
      ) : null}
    </Dialog>
  );
}

interface FileDetailsProps extends Omit<FormProps, "file" | "notice"> {
  readonly id: number;
}

export function FileDetails({ id, onChange, ...props }: FileDetailsProps) {
  const { data: file, problem, reload } = useAnswer<MediaFile>(`/upload/files/${id}`);
  if (problem && !file)
    return (
      <Dialog title="File" shape="side" onClose={props.onClose}>
        <Alert class="page-problem" text={problem} />
      </Dialog>
    );
  if (!file) return null;
  // what was typed stays, to be copied
  const notice = problem === undefined ? undefined : `${problem}: this file may have been deleted`;
  return (
    <DetailsForm
      file={file}
      notice={notice}
      {...props}
      onChange={() => {
        reload();
        onChange();
      }}
    />
  );
}
