/** Mail templates, which Strapi's settings page stores in the database. */
import { stringOrEmpty } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Document } from "../query/select.ts";
import { storedValue } from "../storage/core-store.ts";
import type { Storage } from "../storage/storage.ts";
import type { Mail } from "./mail.ts";

export const EMAIL_KEY = "plugin_users-permissions_email";

/** Strapi's names. */
export type TemplateName = "reset_password" | "email_confirmation";

/** Variables of templates; `USER` is the sanitized user. */
export interface TemplateValues {
  readonly URL: string;
  readonly SERVER_URL: string;
  readonly ADMIN_URL: string;
  readonly USER: Document;
  readonly TOKEN?: string;
  readonly CODE?: string;
}

const VARIABLE = /<%=\s*([\w.]+)\s*%>/g;

/**
 * Replaces `<%= NAME %>` and `<%= USER.name %>`. Unknown names and code are left as they are; Strapi accepts neither. `encode`: for values
 * that become part of HTML, since users choose their names, and the addresses that mails go to.
 */
function renderTemplate(template: string, values: Partial<TemplateValues>, encode = (text: string) => text): string {
  return template.replace(VARIABLE, (placeholder, path: string) => {
    let value: unknown = values;
    for (const key of path.split(".")) {
      if (!isRecord(value) || !Object.hasOwn(value, key)) return placeholder;
      value = value[key];
    }
    if (value === undefined) return placeholder;
    return encode(value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
  });
}

/** A mail from a stored template, without the recipient; undefined if there is no such template. */
export function storedMail(storage: Storage, name: TemplateName, values: TemplateValues): Omit<Mail, "to"> | undefined {
  const templates = storedValue(storage, EMAIL_KEY);
  const template = isRecord(templates) ? templates[name] : undefined;
  const options = isRecord(template) && isRecord(template.options) ? template.options : undefined;
  const [subject, message] = [stringOrEmpty(options?.object), stringOrEmpty(options?.message)];
  if (!options || message === "") return undefined;
  const from = toRecord(options.from);
  const [sender, email] = [stringOrEmpty(from.name), stringOrEmpty(from.email)];
  return {
    subject: renderTemplate(subject, { USER: values.USER }),
    text: renderTemplate(message, values),
    html: renderTemplate(message, values, Bun.escapeHTML),
    from: email === "" ? undefined : sender === "" ? email : `${sender} <${email}>`,
    replyTo: stringOrEmpty(options.response_email) || undefined,
  };
}
