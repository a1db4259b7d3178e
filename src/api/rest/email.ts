/** The route that sends mails. */
import type { AccessParts } from "../../access/index.ts";
import { checkBody, type Shape } from "../../shape.ts";
import type { RestRoute } from "./call.ts";

const text: Shape = { type: "string", strict: true };
const required: Shape = { ...text, required: true };
const mail: Shape = {
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
};

export const emailRoutes = (access: Pick<AccessParts, "mailer">): RestRoute[] => [
  {
    method: "POST",
    path: "/email",
    action: "plugin::email.email.send",
    handle: async ({ body }) => {
      const {
        to,
        subject,
        text: plain,
        html,
        from,
        cc,
        bcc,
        replyTo,
      } = checkBody(mail, await body()) as Record<string, string>;
      await access.mailer.send({ to: to!, subject: subject!, text: plain!, html, from, cc, bcc, replyTo });
      return { status: 200, body: {} };
    },
  },
];
