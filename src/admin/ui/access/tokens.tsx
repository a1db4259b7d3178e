/** Tokens of the Content API. A key is shown once, when it is created. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { confirm } from "../widgets/confirm.tsx";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { showDone, showProblem } from "../widgets/toasts.tsx";
import type { Access } from "./access-model.ts";
import { changeConfig } from "./change-dialog.tsx";
import { type Token, TokenDialog, type TokenValues, tokenTypes } from "./token-dialog.tsx";

interface TokensProps {
  readonly access: Access;
  readonly reload: () => void;
}

const dateOf = (text: string | null): string => (text === null ? "" : new Date(text).toLocaleDateString());

function expiryOf({ expiresAt }: Token): string {
  if (expiresAt === null) return "Never expires";
  return Date.parse(expiresAt) <= Date.now() ? `Expired on ${dateOf(expiresAt)}` : `Expires on ${dateOf(expiresAt)}`;
}

interface NewKey {
  readonly name: string;
  readonly accessKey: string;
}

const KeyDialog = ({ name, accessKey, onClose }: NewKey & { readonly onClose: () => void }) => (
  <Dialog
    title={`The key of ${name}`}
    onClose={onClose}
    actions={
      <button type="button" class="button button-primary" onClick={onClose}>
        Done
      </button>
    }
  >
    <p>Copy it now: it is stored as a hash, and is not shown again.</p>
    <div class="secret">
      <code>{accessKey}</code>
      <CopyButton text={accessKey} label="Copy the key" />
    </div>
  </Dialog>
);

export function Tokens({ access, reload: reloadAccess }: TokensProps) {
  const { data: answer, problem, reload } = useAnswer<{ data: readonly Token[] }>("/admin/api-tokens");
  const [edited, setEdited] = useState<Token | "new">();
  const [key, setKey] = useState<NewKey>();
  const isInFile = ({ name }: Token): boolean => access.tokensInFile.includes(name);
  const isReadOnly = (token: Token): boolean => isInFile(token) && access.source.problem !== undefined;

  const save = async ({ lifespan, ...values }: TokenValues): Promise<void> => {
    try {
      if (edited === "new") {
        const { data } = await api.post<{ data: Token & NewKey }>("/admin/api-tokens", { ...values, lifespan });
        setKey(data);
      } else if (edited && isInFile(edited)) {
        const { type, permissions } = values;
        const change = { kind: "token", change: { name: edited.name, type, permissions } } as const;
        if (!(await changeConfig(`The token ${edited.name}`, change))) return;
        reloadAccess();
      } else if (edited) {
        await api.put(`/admin/api-tokens/${edited.id}`, values);
        showDone("Saved");
      }
      setEdited(undefined);
      reload();
    } catch (error) {
      showProblem(error);
    }
  };
  const regenerate = async ({ id, name }: Token): Promise<void> => {
    const question = {
      title: `Create a new key for ${name}?`,
      text: "Requests with the current key will be refused.",
      action: "Create a new key",
      isDangerous: true,
    };
    if (!(await confirm(question))) return;
    try {
      const { data } = await api.post<{ data: NewKey }>(`/admin/api-tokens/${id}/regenerate`);
      setKey({ name, accessKey: data.accessKey });
      reload();
    } catch (error) {
      showProblem(error);
    }
  };
  const revoke = async (token: Token): Promise<void> => {
    const { id, name } = token;
    const title = `Revoke ${name}?`;
    try {
      if (isInFile(token)) {
        if (!(await changeConfig(title, { kind: "removeToken", change: { name } }))) return;
        reloadAccess();
      } else {
        const text = "Requests with its key will be refused. This cannot be undone.";
        if (!(await confirm({ title, text, action: "Revoke", isDangerous: true }))) return;
        await api.delete(`/admin/api-tokens/${id}`);
      }
      showDone(`Revoked ${name}`);
      reload();
    } catch (error) {
      showProblem(error);
    }
  };

  const tokens = answer?.data;
  return (
    <section class="access-list" aria-label="API tokens">
      <header>
        <p class="muted">
          Sent as <code>Authorization: Bearer …</code>. Their keys are stored as hashes in the database, not in the
          project's files.
        </p>
        <button type="button" class="button button-primary" onClick={() => setEdited("new")}>
          New token
        </button>
      </header>
      {problem ? (
        <p class="page-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {tokens?.length === 0 ? <p class="empty">No tokens yet.</p> : null}
      <ul>
        {tokens?.map((token) => (
          <li key={token.id} class="access-item">
            <div>
              <strong>{token.name}</strong> <span class="badge">{tokenTypes[token.type]}</span>
              {isInFile(token) ? <span class="badge">{access.source.file}</span> : null}
              <p class="muted">
                {[
                  token.type === "custom"
                    ? `${token.permissions.length} ${token.permissions.length === 1 ? "action" : "actions"}`
                    : "",
                  expiryOf(token),
                  token.lastUsedAt ? `last used on ${dateOf(token.lastUsedAt)}` : "never used",
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </p>
            </div>
            {isReadOnly(token) ? null : (
              <div class="page-actions">
                <button type="button" class="button" aria-label={`Edit ${token.name}`} onClick={() => setEdited(token)}>
                  Edit
                </button>
                {isInFile(token) ? null : (
                  <button
                    type="button"
                    class="button"
                    aria-label={`New key for ${token.name}`}
                    onClick={() => regenerate(token)}
                  >
                    New key
                  </button>
                )}
                <button
                  type="button"
                  class="button button-danger-text"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => revoke(token)}
                >
                  Revoke
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {edited === undefined ? null : (
        <TokenDialog
          key={edited === "new" ? "new" : edited.id}
          access={access}
          token={edited === "new" ? undefined : edited}
          isNameFixed={edited !== "new" && isInFile(edited)}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
      {key ? <KeyDialog name={key.name} accessKey={key.accessKey} onClose={() => setKey(undefined)} /> : null}
    </section>
  );
}
