/** Which mails are sent, and how: by Galley's own settings, or by the provider of `config/plugins`. */
import { filledString } from "../../lib/coerce.ts";
import type { Environment } from "./env.ts";
import { isSection } from "./files.ts";
import { configOfPlugin, EMAIL_DEFAULTS, type PluginSource, providerFile, providerName } from "./providers.ts";

interface EmailSource extends PluginSource {
  readonly environment: Environment;
}

const KEY = "email.config.provider";

function ifInstalled({ root, file, report }: EmailSource, provider: string): "plugin" | "outbox" {
  if (providerFile(root, "email", provider) !== undefined) return "plugin";
  const reason = `the provider ${JSON.stringify(provider)} is not installed; mails are written to .galley/outbox`;
  report.warn(file, KEY, reason);
  return "outbox";
}

/** Who sends mails unless config/galley.json says it. */
function configuredProvider(source: EmailSource): "plugin" | "outbox" {
  const { plugins, file, environment, report } = source;
  const provider = providerName(plugins, "email", file, report);
  if (provider === undefined) return "outbox";
  if (environment.NODE_ENV === "production") return ifInstalled(source, provider);
  const how = `"email": { "provider": "plugin" } in config/galley.json sends them with ${JSON.stringify(provider)}`;
  report.warn(file, KEY, `mails are written to .galley/outbox unless NODE_ENV is production; ${how}`);
  return "outbox";
}

/** The provider of config/galley.json, if it can be used. */
function ownProvider(source: EmailSource) {
  const { galley, plugins, file, report } = source;
  const provider = galley.email?.provider ?? (galley.email?.smtp ? "smtp" : undefined);
  if (provider !== "plugin") return provider;
  return ifInstalled(source, providerName(plugins, "email", file, report) ?? EMAIL_DEFAULTS.provider);
}

export function emailSettings(source: EmailSource) {
  const { galley, plugins } = source;
  const config = configOfPlugin(plugins, "email");
  const { defaultFrom, defaultReplyTo, testAddress } = isSection(config.settings) ? config.settings : {};
  const provider = ownProvider(source) ?? configuredProvider(source);
  return {
    /**
     * "smtp" if its options are set, "plugin" in production if `config/plugins` names an installed provider, otherwise "outbox":
     * a copy of a project must not send mails to the original's users.
     */
    provider,
    /** The name of the provider "plugin" in `config/plugins`. */
    providerName: provider === "plugin" ? (filledString(config.provider) ?? EMAIL_DEFAULTS.provider) : undefined,
    /** Where the project's test mails go, in `config/plugins`. */
    testAddress: filledString(testAddress),
    /** The sender in config/galley.json, which takes precedence over those of plugins and templates. */
    from: galley.email?.from,
    /** The sender of mails without one. */
    defaultFrom: galley.email?.from ?? filledString(defaultFrom) ?? "Galley <no-reply@localhost>",
    defaultReplyTo: filledString(defaultReplyTo),
    /** Options of the SMTP connection, as nodemailer takes them. */
    smtp: galley.email?.smtp,
  } as const;
}
