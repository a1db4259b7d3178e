/** The tokens of the Content API, and changes of them. Tokens in the project's file are changed there. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { confirm } from "../widgets/confirm.tsx";
import { attempt, showDone, showProblem } from "../widgets/toasts.tsx";
import type { Access } from "./access-model.ts";
import { changeConfig } from "./change-dialog.tsx";
import type { Token, TokenValues } from "./token-dialog.tsx";

/** A key as it is shown once. */
export interface NewKey {
  readonly name: string;
  readonly accessKey: string;
}

export interface TokenList {
  /** Undefined until they are loaded. */
  readonly tokens: readonly Token[] | undefined;
  readonly problem: string | undefined;
  readonly reload: () => void;
  readonly newKey: NewKey | undefined;
  readonly forgetKey: () => void;
  readonly isInFile: (token: Token) => boolean;
  /** `token` undefined: a new one. Returns whether it was saved. */
  readonly save: (token: Token | undefined, values: TokenValues) => Promise<boolean>;
  readonly regenerate: (token: Token) => Promise<void>;
  readonly revoke: (token: Token) => Promise<void>;
}

export function useTokens(access: Access, reloadAccess: () => void): TokenList {
  const { data: answer, problem, reload } = useAnswer<{ data: readonly Token[] }>("/admin/api-tokens");
  const [newKey, setNewKey] = useState<NewKey>();
  const isInFile = ({ name }: Token): boolean => access.tokensInFile.includes(name);

  const write = async (token: Token | undefined, { lifespan, ...values }: TokenValues): Promise<boolean> => {
    if (!token) {
      const { data } = await api.post<{ data: Token & NewKey }>("/admin/api-tokens", { ...values, lifespan });
      setNewKey(data);
      return true;
    }
    if (isInFile(token)) {
      const { type, permissions } = values;
      const change = { kind: "token", change: { name: token.name, type, permissions } } as const;
      if (!(await changeConfig(`The token ${token.name}`, change))) return false;
      reloadAccess();
    } else await api.put(`/admin/api-tokens/${token.id}`, values);
    showDone("Saved");
    return true;
  };
  const save = async (token: Token | undefined, values: TokenValues): Promise<boolean> => {
    try {
      const isSaved = await write(token, values);
      if (isSaved) reload();
      return isSaved;
    } catch (error) {
      showProblem(error);
      return false;
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
    await attempt(async () => {
      const { data } = await api.post<{ data: NewKey }>(`/admin/api-tokens/${id}/regenerate`);
      setNewKey({ name, accessKey: data.accessKey });
      reload();
    });
  };
  const revoke = async (token: Token): Promise<void> => {
    const { id, name } = token;
    const title = `Revoke ${name}?`;
    const text = "Requests with its key will be refused. This cannot be undone.";
    try {
      if (isInFile(token)) {
        if (!(await changeConfig(title, { kind: "removeToken", change: { name } }, text))) return;
        reloadAccess();
      } else {
        if (!(await confirm({ title, text, action: "Revoke", isDangerous: true }))) return;
        await api.delete(`/admin/api-tokens/${id}`);
      }
      showDone(`Revoked ${name}`);
      reload();
    } catch (error) {
      showProblem(error);
    }
  };

  const forgetKey = (): void => setNewKey(undefined);
  return { tokens: answer?.data, problem, reload, newKey, forgetKey, isInFile, save, regenerate, revoke };
}
