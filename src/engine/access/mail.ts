/** Sends mails: to a folder, over SMTP, with the project's provider, or nowhere. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as Nodemailer from "nodemailer";
import { ApiError, validationError } from "../../lib/errors.ts";
import { excerpt } from "../../lib/print-value.ts";
import { printable } from "../../lib/printable.ts";
import { pickBy } from "../../lib/records.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import type { Section } from "../config/files.ts";
import { loadInit, providerFile } from "../config/providers.ts";
import type { Settings } from "../config/settings.ts";
import { makeSystemFolder } from "../storage/temporary-folder.ts";

/** Addresses, separated by commas, or a list of them: providers get what was sent. */
type Recipients = string | readonly string[];

export interface Mail {
  readonly to: Recipients;
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  /** Absent: from the settings. */
  readonly from?: string | undefined;
  readonly cc?: Recipients | undefined;
  readonly bcc?: Recipients | undefined;
  readonly replyTo?: string | undefined;
  /** Other options of nodemailer or of the project's provider, such as `attachments`. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** The options of a mail as Strapi's providers take them. */
export type MailOptions = Readonly<Record<string, unknown>>;

/** A provider of the project: what `init` of its package returns. */
export interface MailProvider {
  readonly send: (options: MailOptions) => unknown;
  /** Connects to its service. Throws if that fails. */
  readonly verify?: () => unknown;
}

export interface Mailer {
  /** Throws when the mail cannot be sent, and a ValidationError for one that is too large. */
  readonly send: (mail: Mail) => Promise<void>;
  /** As `send`, also if there is an `override`. */
  readonly sendDirectly: (mail: Mail) => Promise<void>;
  /** Sends all mails instead. */
  override: MailProvider["send"] | undefined;
  /** Connects to the service that sends mails, and throws if that fails; undefined if there is nothing to connect to. */
  readonly verifier: () => (() => Promise<void>) | undefined;
  /** Does the work of sending a mail without sending it, so that timing does not reveal whether a recipient exists. */
  readonly rehearse: (mail: Mail) => Promise<void>;
}

/**
 * The values of a request that are options of a provider. Only texts are: nodemailer reads files and URLs that objects name, and a raw
 * message would have headers that nobody has checked.
 */
export const requestedOptions = (values: MailOptions): MailOptions =>
  pickBy(values, (value, name) => typeof value === "string" && name !== "raw");

const library = (): typeof Nodemailer => require("nodemailer") as typeof Nodemailer;

/** The maximum number of addresses in `to`, `cc` and `bcc` together. */
const MAX_RECIPIENTS = 100;
/** Characters of a header. */
const MAX_HEADER = 40_000;

const HEADERS = ["to", "cc", "bcc", "from", "replyTo", "subject"] as const;
const RECIPIENTS = ["to", "cc", "bcc"] as const;

/** Line breaks would start another header; other control characters affect terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const IN_HEADERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const IN_TEXTS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The mail without control characters. Throws a ValidationError if it exceeds a limit. */
function checkMail(mail: Mail): Mail {
  const addresses = RECIPIENTS.flatMap((name) => mail[name] ?? []);
  const recipients = addresses.flatMap((address) => address.split(/[,;]/, MAX_RECIPIENTS + 1));
  if (recipients.length > MAX_RECIPIENTS) throw validationError(`A mail can have at most ${MAX_RECIPIENTS} recipients`);
  const checkHeader = (name: string, value: string): string => {
    if (value.length > MAX_HEADER) throw validationError(`${name} must be at most ${MAX_HEADER} characters`);
    return value.replace(IN_HEADERS, " ");
  };
  const headers = HEADERS.flatMap((name) => {
    const value = mail[name];
    if (value === undefined) return [];
    const checked = typeof value === "string" ? checkHeader(name, value) : value.map((one) => checkHeader(name, one));
    return [[name, checked]];
  });
  const texts = { text: mail.text?.replace(IN_TEXTS, ""), html: mail.html?.replace(IN_TEXTS, "") };
  return { ...mail, ...texts, ...Object.fromEntries(headers) };
}

/** With `isRehearsed` the mail is composed and discarded. */
type Send = (mail: Mail, isRehearsed: boolean) => Promise<void>;
type Announce = (line: string) => void;
/** The options of a mail with a sender. */
type Complete = (mail: Mail) => MailOptions;

async function compose(mail: MailOptions): Promise<Uint8Array> {
  const transport = library().createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail(mail);
  return message as unknown as Uint8Array;
}

/**
 * Writes mails as files that mail programs can open, readable by their owner only: to the folder, or to a temporary one. Only
 * the file's name is announced, since links and codes in mails are secrets.
 */
function createOutbox(outboxFolder: string | undefined, complete: Complete, announce: Announce): Send {
  let folder = outboxFolder;
  return async (mail, isRehearsed) => {
    folder ??= makeSystemFolder("galley-outbox-");
    const message = await compose(complete(mail));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const time = new Date().toISOString().replace(/[:.]/g, "-");
    const file = join(folder, `${time}-${crypto.randomUUID().slice(0, 8)}.eml`);
    const temporaryFile = `${file}.part`;
    try {
      writeFileSync(temporaryFile, message, { mode: 0o600 });
      if (!isRehearsed) renameSync(temporaryFile, file);
    } finally {
      rmSync(temporaryFile, { force: true });
    }
    if (isRehearsed) return;
    announce(printable(`mail to ${excerpt(String(mail.to))}: ${excerpt(mail.subject ?? "")}, written to ${file}`));
  };
}

/** Rejects after `limitMs`. */
async function within(limitMs: number, work: () => unknown): Promise<void> {
  await withTimeout(Promise.try(work), limitMs, () => {
    throw new Error(`the provider did not answer within ${limitMs} ms`);
  });
}

/** Without keys whose values are undefined: providers may look for keys. */
const toMailOptions = ({ more, ...mail }: Mail): MailOptions =>
  pickBy({ ...more, ...mail }, (value) => value !== undefined);

function createSender({ settings, folder, announce, loadProvider, limitMs }: MailerOptions): Send {
  const complete: Complete = ({ from = settings.defaultFrom, replyTo = settings.defaultReplyTo, ...mail }) =>
    toMailOptions({ ...mail, from, replyTo });
  // without a folder and an announcement, nobody could find the mail
  const isUnreadable = settings.provider === "outbox" && folder === undefined && !announce;
  if (settings.provider === "discard" || isUnreadable) return async () => {};
  if (settings.provider === "outbox") return createOutbox(folder, complete, announce ?? (() => {}));
  if (settings.provider === "plugin")
    return async (mail, isRehearsed) => {
      if (isRehearsed) return void (await compose(complete(mail)));
      // other senders are the provider's
      const options = toMailOptions({ ...mail, from: mail.from ?? settings.from });
      await within(limitMs, () => loadProvider().send(options));
    };
  const transport = library().createTransport(settings.smtp as Nodemailer.TransportOptions);
  return async (mail, isRehearsed) => {
    if (isRehearsed) await compose(complete(mail));
    else await transport.sendMail(complete(mail));
  };
}

function createVerifier({ settings, loadProvider, limitMs }: MailerOptions): (() => Promise<void>) | undefined {
  if (settings.provider === "smtp") {
    const transport = library().createTransport(settings.smtp as Nodemailer.TransportOptions);
    return () => within(limitMs, () => transport.verify());
  }
  const provider = settings.provider === "plugin" ? loadProvider() : undefined;
  if (typeof provider?.verify !== "function") return undefined;
  return () => within(limitMs, () => provider.verify?.());
}

export interface MailerOptions {
  readonly settings: Settings["email"];
  /** Of the outbox. */
  readonly folder: string | undefined;
  /** Called with a line for each mail written to the outbox. */
  readonly announce: Announce | undefined;
  /** Throws the errors of the provider's package. */
  readonly loadProvider: () => MailProvider;
  /** For a provider, in milliseconds. */
  readonly limitMs: number;
  /** Told of each mail that was sent. */
  readonly onMail: ((mail: Mail) => void) | undefined;
}

export function createMailer(options: MailerOptions): Mailer {
  const send = createSender(options);
  const sendNow = async (mail: Mail): Promise<void> => {
    await send(mail, false);
    options.onMail?.(mail);
  };
  const mailer: Mailer = {
    override: undefined,
    send: async (mail) => {
      const checked = checkMail(mail);
      const { override } = mailer;
      if (!override) return sendNow(checked);
      const from = checked.from ?? options.settings.from;
      await within(options.limitMs, () => override(toMailOptions({ ...checked, from })));
      options.onMail?.(checked);
    },
    sendDirectly: async (mail) => sendNow(checkMail(mail)),
    verifier: () => createVerifier(options),
    rehearse: async (mail) => send(checkMail(mail), true),
  };
  return mailer;
}

/** Throws the errors of the provider. `config`: of the email plugin. */
export function createMailProvider(root: string, { provider, providerOptions, settings }: Section): MailProvider {
  const file = providerFile(root, "email", provider);
  if (file === undefined) throw new Error(`The email provider ${JSON.stringify(provider)} is not installed`);
  const created = loadInit(file, "email", provider)(providerOptions, settings) as Partial<MailProvider> | undefined;
  if (typeof created?.send !== "function") throw new Error(`The email provider "${provider}" has no function send`);
  return created as MailProvider;
}

/** As in Strapi, an error of the provider with the status code 400 has its message. `what`: was to be sent. */
export function sendError(error: unknown, what = "email"): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  if ((error as { statusCode?: unknown }).statusCode === 400) return new ApiError("ApplicationError", error.message);
  return new Error(`Couldn't send ${what}: ${error.message}.`, { cause: error });
}
