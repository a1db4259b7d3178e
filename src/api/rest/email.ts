/** The route that sends mails. */
import type { AccessParts } from "../../engine/access/index.ts";
import { type MailOptions, requestedOptions, sendError } from "../../engine/access/mail.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import type { RestRoute } from "./call.ts";

const text: Shape = { type: "string", strict: true };
const required: Shape = { ...text, required: true };
const mail = {
  type: "object",
  fields: {
    to: required,
    subject: required,
    text: required,
    html: text,
    from: text,
    cc: text,
    bcc: text,
    replyTo: text,
  },
} as const satisfies Shape;

/** The keys of a body that are not those of a mail. */
const others = (body: unknown): MailOptions =>
  isRecord(body) ? pickBy(body, (_, name) => !Object.hasOwn(mail.fields, name)) : {};

export const emailRoutes = (access: Pick<AccessParts, "mailer">): RestRoute[] => [
  {
    method: "POST",
    path: "/email",
    action: "plugin::email.email.send",
    handle: async ({ body }) => {
      const sent = await body();
      const { to = "", subject = "", text = "", ...rest } = checkBody(mail, sent) as Record<string, string>;
      const { html, from, cc, bcc, replyTo } = rest;
      const more = requestedOptions(others(sent));
      try {
        await access.mailer.send({ to, subject, text, html, from, cc, bcc, replyTo, more });
      } catch (error) {
        throw sendError(error);
      }
      return { status: 200, body: {} };
    },
  },
];
