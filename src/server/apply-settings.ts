/** Roles, users and tokens of the configuration, written into the database where they have changed. */
import { actionNames } from "../access/action-names.ts";
import type { Secrets } from "../access/secrets.ts";
import { TOKEN_TABLE, type Tokens } from "../access/tokens.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { hasOwnCode } from "../project-code/loader/code-files.ts";
import { hash } from "./project-source.ts";

/** Of the project's own code, as roles were given them last. */
const APPLIED_ACTIONS = "applied_actions";

/** Tokens change without a change of the file: when their key is in the environment, and when other hashes are due. */
export function applyIfChanged(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  tokens: Tokens,
  { tokenSalt }: Secrets,
  own: readonly string[] | undefined,
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
  // commands that do not load the code leave what its actions were applied as
  const isSame = (): boolean => own === undefined || storage.meta(APPLIED_ACTIONS) === hash(own);
  if (storage.meta("applied") === applied && isSame()) return Promise.resolve();
  const known = own ?? (hasOwnCode(root) ? "unknown" : []);
  // most starts find everything as it was
  const { applyAccess } = require("../access/apply.ts") as typeof import("../access/apply.ts");
  const passwords = applyAccess(root, context, settings, tokens, known);
  // only now: a process that ends before begins again at the next start
  return passwords.then(() =>
    storage.write(() => {
      storage.setMeta("applied", applied);
      if (own) storage.setMeta(APPLIED_ACTIONS, hash(own));
    }),
  );
}
