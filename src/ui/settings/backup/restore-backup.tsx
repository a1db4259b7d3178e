/** Sends a backup to the server, shows what it would replace, and restores it. */
import { useRef, useState } from "preact/hooks";
import { api, errorMessage } from "../../api/client.ts";
import { type Upload, upload } from "../../api/upload.ts";
import { findType, loadStart, typeName } from "../../model.ts";
import { Alert } from "../../widgets/alert.tsx";
import { announce } from "../../widgets/announce.tsx";
import { Button } from "../../widgets/button.tsx";
import { confirm } from "../../widgets/confirm.tsx";
import { TimeAgo } from "../../widgets/time-ago.tsx";
import { showDone } from "../../widgets/toasts.tsx";
import { useFileInput } from "../../widgets/use-file-input.tsx";

const RESTORE_PATH = "/backup/restore";

interface Change {
  readonly now: number;
  readonly after: number;
}

export interface RestoreSummary {
  readonly id: string;
  readonly createdAt: string;
  readonly types: readonly (Change & { readonly uid: string })[];
  readonly uploads: Change;
  readonly contentFiles: Change;
}

type Row = Change & { readonly name: string };

/** What differs comes first. */
function listRows({ types, uploads, contentFiles }: RestoreSummary): readonly Row[] {
  const named = types
    .filter(({ uid, now, after }) => findType(uid)?.isDisplayed || now !== after)
    .map(({ uid, ...counts }) => ({ ...counts, name: typeName(uid) }));
  const files = [
    { ...uploads, name: "Media files on disk" },
    { ...contentFiles, name: "Content files" },
  ].filter(({ now, after }) => now + after > 0);
  return [...named, ...files].toSorted(
    (left, right) => Number(right.now !== right.after) - Number(left.now !== left.after),
  );
}

interface SummaryProps {
  readonly summary: RestoreSummary;
  readonly reload: () => void;
}

function Summary({ summary, reload }: SummaryProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setIsBusy(false);
    reload();
  };
  const restore = (): Promise<void> =>
    run(async () => {
      const text = "All content, users, roles, tokens, webhooks and settings become those of the backup.";
      const question = { title: "Replace all content?", text, action: "Restore", isDangerous: true };
      if (!(await confirm(question))) return;
      const { data } = await api.post<{ data: { earlier: string } }>(`${RESTORE_PATH}/apply`, { id: summary.id });
      showDone(`Restored. What was there before is in .galley/${data.earlier}`);
      await loadStart();
    });
  return (
    <>
      <p>
        A backup of <strong>{new Date(summary.createdAt).toLocaleString()}</strong> (
        <TimeAgo time={summary.createdAt} />) waits. Nothing has changed yet.
      </p>
      <table class="restore-table">
        <thead>
          <tr>
            {["Content", "Now", "After"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listRows(summary).map(({ name, now, after }) => (
            <tr key={name} class={now === after ? "muted" : ""}>
              <th scope="row">{name}</th>
              <td>{now}</td>
              <td>{after}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        Texts may differ where numbers do not. What is here now is kept in <code>.galley</code>. Secrets and sessions
        stay those of this server: tokens that another one has made do not work here.
      </p>
      <Alert text={problem} />
      <div class="row settings-actions">
        <Button
          kind="danger"
          text={isBusy ? "Restoring…" : "Restore this backup"}
          aria-disabled={isBusy}
          onClick={restore}
        />
        <Button
          kind="ghost"
          text="Discard"
          disabled={isBusy}
          onClick={() => void run(async () => api.delete(RESTORE_PATH))}
        />
      </div>
    </>
  );
}

function ChooseFile({ reload }: { readonly reload: () => void }) {
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<Upload<unknown> | undefined>(undefined);
  const send = async (file: File): Promise<void> => {
    setProblem(undefined);
    setSent(0);
    // whatever the browser takes it for by its name
    running.current = upload(RESTORE_PATH, new Blob([file], { type: "application/gzip" }), setSent);
    try {
      await running.current.done;
      announce("The backup was checked");
      reload();
    } catch (error) {
      if ((error as Error).name !== "AbortError") setProblem(errorMessage(error));
    }
    setSent(undefined);
  };
  const [input, chooseFile] = useFileInput({
    label: "Backup file",
    accept: ".gz,.tgz,.tar",
    onFiles: ([file]) => file && void send(file),
  });
  return (
    <>
      <p class="muted">
        Choose a file of "Back up" or <code>galley backup</code>. It is checked, and you see what it replaces before
        anything changes.
      </p>
      <div class="row settings-actions">
        {input}
        <Button
          text={
            sent === undefined ? "Choose a backup" : sent < 1 ? `Sending… ${Math.floor(sent * 100)} %` : "Checking…"
          }
          disabled={sent !== undefined}
          onClick={chooseFile}
        />
        {sent === undefined ? null : <Button kind="ghost" text="Cancel" onClick={() => running.current?.cancel()} />}
      </div>
      <Alert text={problem} />
    </>
  );
}

interface RestoreBackupProps {
  readonly pending: RestoreSummary | null;
  readonly reload: () => void;
}

export const RestoreBackup = ({ pending, reload }: RestoreBackupProps) =>
  pending ? <Summary key={pending.id} summary={pending} reload={reload} /> : <ChooseFile reload={reload} />;
