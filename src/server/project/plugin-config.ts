/** Reads the configuration of plugins when it is first needed: functions cannot be part of `Settings`, which are sent to workers. */

import type { PasswordRule } from "../../engine/access/auth-shapes.ts";
import type { MailProvider } from "../../engine/access/mail.ts";
import { type Environment, provideEnvironment } from "../../engine/config/env.ts";
import { ConfigFiles, isSection, type Section } from "../../engine/config/files.ts";
import { configOfPlugin, EMAIL_DEFAULTS } from "../../engine/config/providers.ts";
import type { Settings } from "../../engine/config/settings.ts";
import { ProjectReport } from "../../lib/errors.ts";
import { merge } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";

/** `environment`: with the project's `.env`. */
export function createPluginConfig(root: string, environment: Environment): (plugin: string) => Section {
  // problems of the file are reported when the project is opened
  const plugins = once(() => new ConfigFiles(root, environment, new ProjectReport()).section("plugins").section);
  return (plugin) => configOfPlugin(plugins(), plugin);
}

/** `validationRules.validatePassword` of users-permissions. */
export function createPasswordRule(
  { auth }: Settings,
  readConfig: (plugin: string) => Section,
): PasswordRule | undefined {
  if (!auth.hasPasswordRule) return undefined;
  const { validationRules } = readConfig("users-permissions");
  return isSection(validationRules) ? (validationRules.validatePassword as PasswordRule) : undefined;
}

/** The project's provider of mails, loaded with the first mail. `environment`: with the project's `.env`. */
export function createMailProvider(
  root: string,
  environment: Environment,
  readConfig: (plugin: string) => Section,
): () => MailProvider {
  return once(() => {
    provideEnvironment(environment);
    const { createMailProvider } =
      require("../../engine/access/mail.ts") as typeof import("../../engine/access/mail.ts");
    return createMailProvider(root, merge(EMAIL_DEFAULTS, readConfig("email")));
  });
}
