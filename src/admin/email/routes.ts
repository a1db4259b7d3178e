/** `/email`: mails of administrators, and how mails are sent. */

import { type Mail, type Mailer, requestedOptions, sendError } from "../../engine/access/mail.ts";
import { filledString } from "../../lib/coerce.ts";
import { applicationError, errorMessage } from "../../lib/errors.ts";
import { type AdminResponse, type AdminRoute, type Body, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const NO_RECIPIENT = "No recipient(s) are given";
const HEADERS = ["from", "cc", "bcc", "replyTo"] as const;

/** Throws an ApplicationError for a mail without recipient. Other texts are options of the provider. */
function readMail({ to, subject, text, html, from, cc, bcc, replyTo, ...more }: Body): Mail {
  const recipient = filledString(to);
  if (recipient === undefined) throw applicationError(NO_RECIPIENT);
  const headers = { from, cc, bcc, replyTo };
  return {
    to: recipient,
    subject: filledString(subject) ?? "",
    text: filledString(text) ?? "",
    html: filledString(html),
    ...Object.fromEntries(HEADERS.map((name) => [name, filledString(headers[name])])),
    more: requestedOptions(more),
  };
}

async function send(mailer: Mailer, mail: Mail, what: string): Promise<AdminResponse> {
  try {
    await mailer.send(mail);
  } catch (error) {
    throw sendError(error, what);
  }
  return ok({});
}

async function verify(mailer: Mailer): Promise<AdminResponse> {
  const connect = mailer.verifier();
  if (!connect) throw applicationError("This email provider does not support connection verification");
  try {
    await connect();
  } catch (error) {
    throw applicationError(`Connection verification failed: ${errorMessage(error)}`);
  }
  return ok({ success: true, message: "SMTP connection verified successfully" });
}

export function emailRoutes({ settings: { email }, mailer }: AdminServices): AdminRoute[] {
  const { provider, providerName = provider, defaultFrom, defaultReplyTo, testAddress } = email;
  return [
    route("POST", "/email", async ({ body }) => send(mailer(), readMail(await body()), "email")),
    route("POST", "/email/test", async ({ body }) => {
      const to = filledString((await body()).to);
      if (to === undefined) throw applicationError(NO_RECIPIENT);
      const text = `Mails of this server are sent by the provider ${providerName}.`;
      return send(mailer(), { to, subject: `Test mail to ${to}`, text }, "test email");
    }),
    route("GET", "/email/settings", () =>
      ok({
        config: { provider: providerName, settings: { defaultFrom, defaultReplyTo, testAddress } },
        supportsVerify: mailer().verifier() !== undefined,
      }),
    ),
    route("POST", "/email/verify", () => verify(mailer())),
  ];
}
