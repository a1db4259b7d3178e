/** The project's provider of mails, loaded with the first mail. */

import type { MailProvider } from "../../engine/access/mail.ts";
import type { Environment } from "../../engine/config/env.ts";
import type { Section } from "../../engine/config/files.ts";
import { EMAIL_DEFAULTS } from "../../engine/config/providers.ts";
import { merge } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";

/** `environment`: with the project's `.env`. */
export function createMailProvider(
  root: string,
  environment: Environment,
  readConfig: (plugin: string) => Section,
): () => MailProvider {
  return once(() => {
    // as in Strapi, providers read the project's `.env` from `process.env`
    for (const [name, value] of Object.entries(environment)) process.env[name] ??= value;
    const { createMailProvider } =
      require("../../engine/access/mail.ts") as typeof import("../../engine/access/mail.ts");
    return createMailProvider(root, merge(EMAIL_DEFAULTS, readConfig("email")));
  });
}
