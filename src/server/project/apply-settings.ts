/** Writes configured roles, users and tokens into the database when they have changed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { actionNames } from "../../engine/access/action-names.ts";
import type { ExtraActions } from "../../engine/access/apply.ts";
import type { Secrets } from "../../engine/access/secrets.ts";
import { TOKEN_TABLE, type Tokens } from "../../engine/access/tokens.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ProjectProblem } from "../../lib/errors.ts";
import { hasOwnCode } from "../../strapi/loader/code-files.ts";
import { hash } from "./project-source.ts";

/** Meta key: hash of the settings that were last applied; another value while they are. */
const APPLIED = "applied";

/** Meta key: hash of the project code's actions that were last applied to roles. */
const APPLIED_ACTIONS = "applied_actions";

/** Meta key: hash of the actions of which those that code added while it ran were last granted. */
const GRANTED_ACTIONS = "granted_actions";

/** Whether a name, or the names that match a pattern, may be actions of own code. */
const mayBeOwn = (name: string): boolean => /^(api|plugin)::([^.*]+\.[^.*]+\.[^.*]+|[^*]*\*)$/.test(name);

/** Plugins to which own code may add actions, which are known only once it runs. */
const extendedPlugins = (root: string): string[] =>
  existsSync(join(root, "src/extensions"))
    ? [...new Bun.Glob("*/strapi-server.{js,ts,cjs,mjs}").scanSync(join(root, "src/extensions"))].map(
        (file) => `plugin::${file.split(/[/\\]/)[0]}.`,
      )
    : [];

export interface CodeActions {
  /** Actions of the project's own code; undefined if no code is to run. */
  readonly extraActions?: readonly string[];
  /** Whether that code may add actions once it runs; false by default. */
  readonly mayAddActions?: boolean;
}

function toExtraActions(root: string, { extraActions: known, mayAddActions = false }: CodeActions): ExtraActions {
  if (!known) return { known: [], mayExist: hasOwnCode(root) ? mayBeOwn : () => false };
  const extended = extendedPlugins(root);
  const mayExist = (name: string) => mayAddActions || extended.some((prefix) => name.startsWith(prefix));
  return { known, mayExist: (name) => mayBeOwn(name) && mayExist(name) };
}

/** Tokens can change although the file does not: when an environment variable has their key, or the hash's salt changes. */
export function applyIfChanged(
  root: string,
  context: DocumentsContext,
  settings: Settings,
  tokens: Tokens,
  { tokenSalt }: Secrets,
  code: CodeActions,
): Promise<void> {
  const { extraActions } = code;
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
  if (storage.meta(APPLIED) === applied && hasSameActions()) return Promise.resolve();
  // settings that are restored meanwhile are not those that were applied last
  const pending = `pending ${crypto.randomUUID()}`;
  storage.transaction(() => storage.setMeta(APPLIED, pending));
  // loaded lazily: on most starts nothing has changed
  const { applyAccess } = require("../../engine/access/apply.ts") as typeof import("../../engine/access/apply.ts");
  const passwords = applyAccess(root, context, settings, tokens, toExtraActions(root, code));
  // recorded last: if the process ends earlier, the next start applies everything again
  return passwords.then(() =>
    storage.write(() => {
      if (storage.meta(APPLIED) !== pending) return;
      storage.setMeta(APPLIED, applied);
      // without its code, patterns have not matched the code's actions
      storage.setMeta(APPLIED_ACTIONS, extraActions ? hash(extraActions) : "");
      storage.setMeta(GRANTED_ACTIONS, "");
    }),
  );
}

/**
 * Grants those of `actions` that were not `declared` before the code ran, as the settings say. Returns names that no action has:
 * they are looked for again with each start.
 */
export function grantAddedActions(
  context: DocumentsContext,
  settings: Settings,
  tokens: Tokens,
  { declared, actions }: { readonly declared: readonly string[]; readonly actions: readonly string[] },
): readonly ProjectProblem[] {
  const { storage } = context;
  const granted = hash(actions);
  if (storage.meta(GRANTED_ACTIONS) === granted) return [];
  const { grantAdded } = require("../../engine/access/apply.ts") as typeof import("../../engine/access/apply.ts");
  return storage.transaction(() => {
    const unknown = grantAdded(context, settings, tokens, { declared, actions });
    if (unknown.length === 0) storage.setMeta(GRANTED_ACTIONS, granted);
    return unknown;
  });
}
