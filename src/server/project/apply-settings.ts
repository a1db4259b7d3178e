/** Writes configured roles, users and tokens into the database when they have changed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { actionNames } from "../../engine/access/action-names.ts";
import type { ExtraActions } from "../../engine/access/apply.ts";
import type { Secrets } from "../../engine/access/secrets.ts";
import { TOKEN_TABLE, type Tokens } from "../../engine/access/tokens.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { hasOwnCode } from "../../strapi/loader/code-files.ts";
import { hash } from "./project-source.ts";

/** Meta key: hash of the project code's actions that were last applied to roles. */
const APPLIED_ACTIONS = "applied_actions";

/** Whether a name may be an action of own code. */
const mayBeOwn = (name: string): boolean => /^(api|plugin)::[^.*]+\.[^.*]+\.[^.*]+$/.test(name);

/** Plugins to which own code may add actions, which are known only once it runs. */
const extendedPlugins = (root: string): string[] =>
  existsSync(join(root, "src/extensions"))
    ? [...new Bun.Glob("*/strapi-server.{js,ts,cjs,mjs}").scanSync(join(root, "src/extensions"))].map(
        (file) => `plugin::${file.split(/[/\\]/)[0]}.`,
      )
    : [];

/** `known`: undefined if the project's code is not loaded. */
function toExtraActions(root: string, known: readonly string[] | undefined): ExtraActions {
  if (!known) return { known: [], mayExist: hasOwnCode(root) ? mayBeOwn : () => false };
  const extended = extendedPlugins(root);
  return { known, mayExist: (name) => mayBeOwn(name) && extended.some((prefix) => name.startsWith(prefix)) };
}

/** Tokens can change although the file does not: when an environment variable has their key, or the hash's salt changes. */
export function applyIfChanged(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  tokens: Tokens,
  { tokenSalt }: Secrets,
  extraActions: readonly string[] | undefined,
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
    extraActions === undefined || storage.meta(APPLIED_ACTIONS) === hash(extraActions);
  if (storage.meta("applied") === applied && hasSameActions()) return Promise.resolve();
  // loaded lazily: on most starts nothing has changed
  const { applyAccess } = require("../../engine/access/apply.ts") as typeof import("../../engine/access/apply.ts");
  const passwords = applyAccess(root, context, settings, tokens, toExtraActions(root, extraActions));
  // recorded last: if the process ends earlier, the next start applies everything again
  return passwords.then(() =>
    storage.write(() => {
      storage.setMeta("applied", applied);
      if (extraActions) storage.setMeta(APPLIED_ACTIONS, hash(extraActions));
    }),
  );
}
