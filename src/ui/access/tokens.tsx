/** Tokens of the Content API. A key is shown once, when it is created. */
import { useState } from "preact/hooks";
import { countText } from "../count-text.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { Empty } from "../widgets/empty.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import type { Access } from "./access-model.ts";
import { type Token, TokenDialog, tokenTypes } from "./token-dialog.tsx";
import { type NewKey, type TokenList, useTokens } from "./use-tokens.ts";

interface TokensProps {
  readonly access: Access;
  readonly reload: () => void;
}

const formatDate = (text: string | null): string => (text === null ? "" : new Date(text).toLocaleDateString());

const isExpired = ({ expiresAt }: Token): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

function formatExpiry(token: Token): string {
  if (token.expiresAt === null) return "Never expires";
  return `${isExpired(token) ? "Expired" : "Expires"} on ${formatDate(token.expiresAt)}`;
}

const KeyDialog = ({ name, accessKey, onClose }: NewKey & { readonly onClose: () => void }) => (
  <Dialog
    title={`The key of ${name}`}
    onClose={onClose}
    actions={<Button kind="primary" text="Done" onClick={onClose} />}
  >
    <p>Copy it now: this page does not show it again.</p>
    <div class="row secret">
      <code>{accessKey}</code>
      <CopyButton text={accessKey} label="Copy the key" />
    </div>
  </Dialog>
);

interface TokenItemProps extends Pick<TokenList, "isInFile" | "regenerate" | "revoke"> {
  readonly token: Token;
  readonly access: Access;
  readonly onEdit: (token: Token) => void;
}

function TokenItem({ token, access, isInFile, regenerate, revoke, onEdit }: TokenItemProps) {
  const isReadOnly = isInFile(token) && access.source.problem !== undefined;
  return (
    <li class="row item">
      <div>
        <strong>{token.name}</strong> <span class="badge">{tokenTypes[token.type]}</span>
        {isInFile(token) ? <span class="badge">{access.source.file}</span> : null}
        <p class="muted">
          {[
            token.type === "custom" ? countText(token.permissions.length, "action") : "",
            formatExpiry(token),
            token.lastUsedAt ? `last used on ${formatDate(token.lastUsedAt)}` : "never used",
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {isReadOnly ? null : (
        <div class="page-actions">
          <Button text="Edit" aria-label={`Edit ${token.name}`} onClick={() => onEdit(token)} />
          {/* a new key would have expired, too */}
          {isInFile(token) || isExpired(token) ? null : (
            <Button text="New key" aria-label={`New key for ${token.name}`} onClick={() => regenerate(token)} />
          )}
          <Button kind="remove" text="Revoke" aria-label={`Revoke ${token.name}`} onClick={() => revoke(token)} />
        </div>
      )}
    </li>
  );
}

export function Tokens({ access, reload: reloadAccess }: TokensProps) {
  const list = useTokens(access, reloadAccess);
  const { tokens, problem, reload, newKey, isInFile, forgetKey } = list;
  const [edited, setEdited] = useState<Token | "new">();
  const token = edited === "new" ? undefined : edited;
  const hasNone = tokens?.length === 0;
  const create = <Button kind="primary" text="New token" onClick={() => setEdited("new")} />;
  return (
    <section class="stack item-list" aria-label="API tokens">
      <header class="row">
        <p class="muted">
          Sent as <code>Authorization: Bearer …</code>. Those made here are stored in the database, encrypted, not in
          the project's files.
        </p>
        {hasNone ? null : create}
      </header>
      <Alert class="page-problem" text={problem} retry={reload} />
      {tokens || problem ? null : <SkeletonLines />}
      {hasNone ? (
        <Empty icon="key" text="No tokens yet: keys with which programs use the API.">
          {create}
        </Empty>
      ) : null}
      <ul>
        {tokens?.map((one) => (
          <TokenItem key={one.id} token={one} access={access} onEdit={setEdited} {...list} />
        ))}
      </ul>
      {edited === undefined ? null : (
        <TokenDialog
          key={token?.id ?? "new"}
          access={access}
          token={token}
          isNameFixed={token !== undefined && isInFile(token)}
          onSave={async (values) => {
            if (await list.save(token, values)) setEdited(undefined);
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {newKey ? <KeyDialog name={newKey.name} accessKey={newKey.accessKey} onClose={forgetKey} /> : null}
    </section>
  );
}
