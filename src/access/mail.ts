/** Sends the mails of forgotten passwords and confirmations: into a folder, over SMTP, or nowhere. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as Nodemailer from "nodemailer";
import type { Settings } from "../config/settings.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  /** Absent: as the settings say. */
  readonly from?: string | undefined;
  readonly cc?: string | undefined;
  readonly bcc?: string | undefined;
  readonly replyTo?: string | undefined;
}

export interface Mailer {
  /** Throws when the mail cannot be sent. */
  readonly send: (mail: Mail) => Promise<void>;
}

const library = (): typeof Nodemailer => require("nodemailer") as typeof Nodemailer;

/** Mails as files that any mail program opens. `folder` undefined keeps nothing: what matters is told by `announce`. */
function outbox(folder: string | undefined, from: string, announce: (line: string) => void): Mailer {
  return {
    send: async (mail) => {
      if (folder !== undefined) {
        const { message } = await library()
          .createTransport({ streamTransport: true, buffer: true })
          .sendMail({ ...mail, from: mail.from ?? from });
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const file = join(
          folder,
          `${new Date().toISOString().replace(/[:.]/g, "-")}-${crypto.randomUUID().slice(0, 8)}.eml`,
        );
        writeFileSync(`${file}.part`, message as unknown as Uint8Array, { mode: 0o600 });
        renameSync(`${file}.part`, file);
        announce(`mail to ${mail.to}: ${mail.subject} (${file})`);
      } else announce(`mail to ${mail.to}: ${mail.subject}`);
      // on a desktop without a mail server the link is what a person needs
      const link = /https?:\/\/\S+/.exec(mail.text)?.[0];
      if (link) announce(`  ${link}`);
    },
  };
}

export function createMailer(
  settings: Settings["email"],
  folder: string | undefined,
  announce: (line: string) => void,
): Mailer {
  if (settings.provider === "discard") return { send: async () => {} };
  if (settings.provider === "outbox") return outbox(folder, settings.from, announce);
  const transport = library().createTransport(settings.smtp as Nodemailer.TransportOptions);
  return { send: async (mail) => void (await transport.sendMail({ ...mail, from: mail.from ?? settings.from })) };
}
