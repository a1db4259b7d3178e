/** Reads the configuration of plugins when it is first needed: functions cannot be part of `Settings`, which are sent to workers. */

import type { PasswordRule } from "../../engine/access/auth-shapes.ts";
import type { Environment } from "../../engine/config/env.ts";
import { ConfigFiles, isSection, type Section } from "../../engine/config/files.ts";
import { configOfPlugin } from "../../engine/config/providers.ts";
import type { Settings } from "../../engine/config/settings.ts";
import { ProjectReport } from "../../lib/errors.ts";
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
