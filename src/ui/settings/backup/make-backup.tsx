/** Makes a backup on the server, which is then downloaded once. */
import { useState } from "preact/hooks";
import { api, errorMessage } from "../../api/client.ts";
import { countText } from "../../count-text.ts";
import { API_BASE } from "../../first-requests.ts";
import { sizeText } from "../../size-text.ts";
import { Alert } from "../../widgets/alert.tsx";
import { announce } from "../../widgets/announce.tsx";
import { Button } from "../../widgets/button.tsx";

const FILE_PATH = "/backup/file";

interface Backup {
  readonly bytes: number;
  readonly uploads: number;
  readonly contentFiles: number;
}

const partsText = ({ bytes, uploads, contentFiles }: Backup): string =>
  [sizeText(bytes), countText(uploads, "media file"), contentFiles === 0 ? "" : countText(contentFiles, "content file")]
    .filter(Boolean)
    .join(" · ");

export function MakeBackup({ canBackUp }: { readonly canBackUp: boolean }) {
  const [backup, setBackup] = useState<Backup>();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const make = async (): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setProblem(undefined);
    setBackup(undefined);
    try {
      setBackup((await api.post<{ data: Backup }>(FILE_PATH)).data);
      announce("The backup can be downloaded");
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setIsBusy(false);
  };
  return (
    <section class="stack settings-section" aria-label="Back up">
      <h3>Back up</h3>
      <p class="muted">
        One file with the content, users, settings, media files and content files. Schemas, code and secrets are not in
        it. Keep it as secret as the content.
      </p>
      {canBackUp ? (
        <div class="row settings-actions">
          <Button
            kind={backup ? "plain" : "primary"}
            text={isBusy ? "Making a backup…" : backup ? "Make another" : "Make a backup"}
            aria-disabled={isBusy}
            onClick={make}
          />
          {backup ? (
            <>
              <a
                class="button button-primary"
                href={API_BASE + FILE_PATH}
                download
                onClick={() => setBackup(undefined)}
              >
                Download
              </a>
              <span class="hint">{partsText(backup)}</span>
            </>
          ) : null}
        </div>
      ) : (
        <p class="notice">The content of this project is in memory only.</p>
      )}
      <Alert text={problem} />
    </section>
  );
}
