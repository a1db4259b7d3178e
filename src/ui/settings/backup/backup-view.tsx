/** A backup to download, and one that is restored once its summary was seen. */
import { useAnswer } from "../../api/use-answer.ts";
import { Alert } from "../../widgets/alert.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { MakeBackup } from "./make-backup.tsx";
import { RestoreBackup, type RestoreSummary } from "./restore-backup.tsx";

interface BackupState {
  readonly canBackUp: boolean;
  /** Why nothing is restored here. */
  readonly problem: string | null;
  /** What was received, and waits for a decision. */
  readonly pending: RestoreSummary | null;
}

export function BackupView() {
  const { data: answer, problem, reload } = useAnswer<{ data: BackupState }>("/backup");
  const state = answer?.data;
  return (
    <div class="stack settings-view" aria-busy={!state && !problem}>
      <h2 class="visually-hidden">Backup</h2>
      <Alert class="page-problem" text={problem} retry={reload} />
      {state || problem ? null : <SkeletonLines />}
      {state ? (
        <>
          <MakeBackup canBackUp={state.canBackUp} />
          <section class="stack settings-section" aria-label="Restore">
            <h3>Restore</h3>
            {state.problem === null ? (
              <RestoreBackup pending={state.pending} reload={reload} />
            ) : (
              <p class="notice">
                <span class="notice-text">{state.problem}.</span>
              </p>
            )}
          </section>
        </>
      ) : null}
    </div>
  );
}
