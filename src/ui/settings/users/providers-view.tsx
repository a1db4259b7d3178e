/** Login providers, of `/users-permissions/providers`: which are offered, and what they ask for. */
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import { Alert } from "../../widgets/alert.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";
import { isEnabled, labelOf, PROVIDERS_PATH, type Providers } from "./providers.ts";

export function ProvidersView() {
  const { data: providers, problem, reload } = useAnswer<Providers>(PROVIDERS_PATH);
  const [edited, setEdited] = useState<string>();
  const sorted = Object.keys(providers ?? {}).toSorted(
    (left, right) => Number(isEnabled(providers![right])) - Number(isEnabled(providers![left])),
  );
  return (
    <div class="stack settings-view" aria-busy={!providers && !problem}>
      <h2 class="visually-hidden">Providers</h2>
      <p class="muted">Where users of your site may sign in with an account that they have already.</p>
      <Alert class="page-problem" text={problem} retry={reload} />
      {providers || problem ? null : <SkeletonLines />}
      <ul class="settings-list">
        {sorted.map((name) => (
          <li key={name}>
            <button type="button" class="settings-row" onClick={() => setEdited(name)}>
              <strong>{labelOf(name)}</strong>
              {isEnabled(providers![name]) ? (
                <span class="status status-published">Enabled</span>
              ) : (
                <span class="hint settings-row-note">Off</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {edited !== undefined && providers?.[edited] ? (
        <ProviderDialog
          name={edited}
          provider={providers[edited]}
          onSaved={() => {
            setEdited(undefined);
            reload();
          }}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </div>
  );
}
