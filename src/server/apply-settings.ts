/** Writes configured roles, users and tokens into the database when they have changed. */
import { actionNames } from "../engine/access/action-names.ts";
import type { Secrets } from "../engine/access/secrets.ts";
import { TOKEN_TABLE, type Tokens } from "../engine/access/tokens.ts";
import type { Settings } from "../engine/config/settings.ts";
import type { DocumentsContext } from "../engine/documents/context.ts";
import { hasOwnCode } from "../strapi/loader/code-files.ts";
import { hash } from "./project-source.ts";

/** Meta key: hash of the project code's actions that were last applied to roles. */
const APPLIED_ACTIONS = "applied_actions";

/** Tokens can change although the file does not: when an environment variable has their key, or the hash's salt changes. */
export function applyIfChanged(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  tokens: Tokens,
  { tokenSalt }: Secrets,
  codeActions: readonly string[] | undefined,
): Promise<void> {
  const keys = settings.galley.tokens?.map(({ keyEnv }) => (keyEnv ? settings.environment[keyEnv] : undefined));
  const applied = hash([
    settings.galley,
    actionNames(context.model),
    keys && Bun.hash(JSON.stringify([keys, tokenSalt])).toString(36),
    settings.configSync,
    TOKEN_TABLE,
  ]);
  const { storage } = context;
  // commands that do not load the project's code leave the applied actions as they are
  const hasSameActions = (): boolean =>
    codeActions === undefined || storage.meta(APPLIED_ACTIONS) === hash(codeActions);
  if (storage.meta("applied") === applied && hasSameActions()) return Promise.resolve();
  const actionsOfCode = codeActions ?? (hasOwnCode(root) ? "unknown" : []);
  // loaded lazily: on most starts nothing has changed
  const { applyAccess } = require("../engine/access/apply.ts") as typeof import("../engine/access/apply.ts");
  const passwords = applyAccess(root, context, settings, tokens, actionsOfCode);
  // recorded last: if the process ends earlier, the next start applies everything again
  return passwords.then(() =>
    storage.write(() => {
      storage.setMeta("applied", applied);
      if (codeActions) storage.setMeta(APPLIED_ACTIONS, hash(codeActions));
    }),
  );
}
