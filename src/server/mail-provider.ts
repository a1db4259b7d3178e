/** The project's provider of mails, loaded with the first mail. */
import type { MailProvider } from "../access/mail.ts";
import type { Environment } from "../config/env.ts";
import { ConfigFiles, merge, type Section } from "../config/files.ts";
import { configOfPlugin, EMAIL_DEFAULTS } from "../config/providers.ts";
import { ProjectReport } from "../errors.ts";

/** `environment`: with the project's `.env`. */
export function mailProviderOf(root: string, environment: Environment): () => MailProvider {
  let provider: MailProvider | undefined;
  const load = (): MailProvider => {
    // as in the reference, providers read the project's `.env` from `process.env`
    for (const [name, value] of Object.entries(environment)) process.env[name] ??= value;
    // problems of the file are reported when the project is opened
    const plugins: Section = new ConfigFiles(root, environment, new ProjectReport()).section("plugins").section;
    const { createMailProvider } = require("../access/mail-provider.ts") as typeof import("../access/mail-provider.ts");
    return createMailProvider(root, merge(EMAIL_DEFAULTS, configOfPlugin(plugins, "email")));
  };
  return () => {
    provider ??= load();
    return provider;
  };
}
