/** The route that sends mails. */
import type { AccessParts } from "../../engine/access/index.ts";
import { type Mail, type MailOptions, requestedOptions, sendError } from "../../engine/access/mail.ts";
import { isRecord } from "../../lib/is-record.ts";
import { typeMessage } from "../../lib/print-value.ts";
import { pickBy } from "../../lib/records.ts";
import { checkBody, type Shape, type Test } from "../../lib/shape.ts";
import type { RestRoute } from "./call.ts";

const isText = (value: unknown): value is string => typeof value === "string";

/** A string, or a list of strings. */
const testAddresses: Test = (value, path) =>
  [value].flat().every(isText) ? undefined : typeMessage(path, "string", value, value);

const text: Shape = { type: "string", strict: true, nullable: true };
const addresses: Shape = { type: "mixed", tests: [testAddresses] };
/** As in Strapi, the provider decides whether a mail needs a subject or a text. */
const mail = {
  type: "object",
  fields: {
    to: { ...addresses, required: true },
    subject: text,
    text,
    html: text,
    from: text,
    cc: addresses,
    bcc: addresses,
    replyTo: text,
  },
} as const satisfies Shape;

const readMail = (body: unknown) => pickBy(checkBody(mail, body), (value) => value !== null) as unknown as Mail;

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
      const { to, subject, text, html, from, cc, bcc, replyTo } = readMail(sent);
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
