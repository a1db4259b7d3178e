/** Loads the package of `config/plugins` that sends mails. */
import type { Section } from "../config/files.ts";
import { loadInit, providerFile } from "../config/providers.ts";
import type { MailProvider } from "./mail.ts";

/** Throws the errors of the provider. `config`: of the email plugin. */
export function createMailProvider(root: string, { provider, providerOptions, settings }: Section): MailProvider {
  const file = providerFile(root, "email", provider);
  if (file === undefined) throw new Error(`The email provider ${JSON.stringify(provider)} is not installed`);
  const created = loadInit(file, "email", provider)(providerOptions, settings) as Partial<MailProvider> | undefined;
  if (typeof created?.send !== "function") throw new Error(`The email provider "${provider}" has no function send`);
  return created as MailProvider;
}
