/** Rows of a spreadsheet as new documents: pasted, looked at, and made. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiFailure, errorMessage } from "../../api/client.ts";
import { countText } from "../../count-text.ts";
import { type ContentType, hasDrafts } from "../../model.ts";
import { Check } from "../../widgets/check.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { TextField } from "../../widgets/text-field.tsx";
import { showDone } from "../../widgets/toasts.tsx";
import { PastePreview } from "./paste-preview.tsx";
import { BATCH, type Outcome, sendRows } from "./paste-requests.ts";
import { matchColumns, readTable, writeTable } from "./pasted-table.ts";

const MAX_ROWS = 5_000;
/** Delay of the trial after the last change of the text. */
const SETTLE_MS = 300;

interface PasteDialogProps {
  readonly type: ContentType;
  readonly locale: string | undefined;
  /** What was pasted already. */
  readonly text: string;
  readonly onClose: () => void;
}

const rowsText = (count: number): string => countText(count, "row");

/** Of the batch without an answer nobody knows whether it was written. */
function endText(error: unknown, made: number, last: number): string {
  const first = `${errorMessage(error)}. Created: ${rowsText(made)}, which are no longer listed here.`;
  const isKnown = error instanceof ApiFailure && ![500, 502, 504].includes(error.status);
  return isKnown ? first : `${first} The next ${rowsText(last)} may have been created or not.`;
}

export function PasteDialog({ type, locale, text: initialText, onClose }: PasteDialogProps) {
  const [text, setText] = useState(initialText);
  const [columns, setColumns] = useState<readonly (string | undefined)[]>([]);
  const [publish, setPublish] = useState(false);
  const [trial, setTrial] = useState<Outcome>();
  const [progress, setProgress] = useState<number>();
  const [problem, setProblem] = useState<string>();
  /** What ended the creation early; it stays until the rows are sent again. */
  const [ended, setEnded] = useState<string>();
  const table = useMemo(() => readTable(text), [text]);
  const header = table?.header.join("\n");
  useEffect(() => setColumns(matchColumns(type, table?.header ?? [])), [header]);
  const isTooLong = table !== undefined && table.rows.length > MAX_ROWS;
  const isReady = table !== undefined && !isTooLong && columns.some((name) => name !== undefined);
  const options = { uid: type.uid, locale, publish };

  useEffect(() => {
    setTrial(undefined);
    setProblem(undefined);
    if (!isReady) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const { signal } = controller;
      sendRows(table, columns, { ...options, isTrial: true }, { signal }).then(setTrial, (error: unknown) => {
        if ((error as Error).name !== "AbortError") setProblem(errorMessage(error));
      });
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [table, columns, publish, isReady]);

  const make = async (): Promise<void> => {
    if (!table || !trial) return;
    setProgress(0);
    setEnded(undefined);
    const refused = new Set(trial.refused.map(({ row }) => row));
    const accepted = { ...table, rows: table.rows.filter((_, row) => !refused.has(row)) };
    const rest = table.rows.filter((_, row) => refused.has(row));
    let done: Outcome = { made: 0, refused: [] };
    let sent = 0;
    /** What was made is not to be made twice. */
    const keepRemaining = (rows: readonly (readonly string[])[]): void => setText(writeTable([table.header, ...rows]));
    try {
      const outcome = await sendRows(
        accepted,
        columns,
        { ...options, isTrial: false },
        {
          onPart: (outcome, rows) => {
            done = outcome;
            sent = rows;
            setProgress(outcome.made);
          },
        },
      );
      if (outcome.made > 0) showDone(`Created ${rowsText(outcome.made)}`);
      const remaining = [...rest, ...outcome.refused.map(({ row }) => accepted.rows[row]!)];
      if (remaining.length === 0) return onClose();
      keepRemaining(remaining);
    } catch (error) {
      const unsent = accepted.rows.slice(sent);
      keepRemaining([...rest, ...done.refused.map(({ row }) => accepted.rows[row]!), ...unsent]);
      setEnded(endText(error, done.made, Math.min(BATCH, unsent.length)));
    } finally {
      setProgress(undefined);
    }
  };

  const count = trial?.made ?? 0;
  const isBusy = progress !== undefined;
  return (
    <FormDialog
      title={`Paste rows into ${type.info.displayName}`}
      shape="wide"
      action={isBusy ? `${progress} created…` : trial ? `Create ${rowsText(count)}` : "Create rows"}
      isGuarded={!isBusy}
      canSubmit={!isBusy && count > 0}
      problem={problem ?? ended}
      onSubmit={make}
      onClose={onClose}
    >
      <TextField
        label="Rows"
        class="input paste-text"
        rows={4}
        value={text}
        placeholder="Copied from a spreadsheet, or CSV. The first line has the names of attributes."
        spellcheck={false}
        onChange={setText}
      />
      {table && !isTooLong ? (
        <PastePreview
          type={type}
          table={table}
          columns={columns}
          onColumns={setColumns}
          refused={trial?.refused ?? []}
        />
      ) : null}
      {hasDrafts(type) && table ? <Check label="Publish them" isOn={publish} onChange={setPublish} /> : null}
      <p class="hint" role="status">
        {text.trim() !== "" && !table ? "No rows below the first line yet." : null}
        {isTooLong ? `At most ${rowsText(MAX_ROWS)} at once.` : null}
        {isReady && !trial && !problem ? "Checking the rows…" : null}
        {trial && trial.refused.length > 0
          ? `${rowsText(trial.refused.length)} will be skipped, for the reasons above.`
          : null}
        {trial && trial.refused.length === 0 ? `All ${rowsText(count)} can be created.` : null}
      </p>
    </FormDialog>
  );
}
