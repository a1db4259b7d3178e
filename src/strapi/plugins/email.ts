/** The email plugin of a project with code: its service, and the provider that code may replace. */
import { createMailProvider, type Mail } from "../../engine/access/mail.ts";
import type { Section } from "../../engine/config/files.ts";
import type { Values } from "../../lib/is-record.ts";
import type { Members, PluginView } from "../loader/plugin.ts";
import type { CodeConfig } from "../members/config.ts";
import { strapiUtils } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";
import { readText } from "./read-text.ts";

type Send = (options: Values) => unknown;

const TEMPLATE_PARTS = ["subject", "text", "html"];

const withoutTags = (html: string): string =>
  html
    // a tag ends before the next one, so that many "<" take linear time
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** Throws if no server would take the mail. Not with an ApiError, since it is not a client error. */
function readMail({ to, subject, text, html, from, cc, bcc, replyTo, ...more }: Values): Mail {
  const address = readText(to);
  if (address === undefined) throw new Error("A mail needs the address that it goes to");
  if (!address.split(",").every((one) => /@[^\s@]/.test(one)))
    throw new Error(`The address of a mail needs a domain: ${address}`);
  const body = readText(html);
  return {
    to: address,
    subject: readText(subject) ?? "",
    text: readText(text) ?? withoutTags(body ?? ""),
    html: body,
    from: readText(from),
    cc: readText(cc),
    bcc: readText(bcc),
    replyTo: readText(replyTo),
    more,
  };
}

/** The parts of a template with values. Throws if a part is missing. Empty parts are left out. */
function fillTemplate(template: Values, data: Values): Values {
  const lodash = require("lodash") as typeof import("lodash");
  const missing = TEMPLATE_PARTS.filter((name) => !(name in template));
  if (missing.length > 0)
    throw new Error(`Following attributes are missing from your email template : ${missing.join(", ")}`);
  const { objects, template: templates } = strapiUtils();
  const interpolate = templates.createStrictInterpolationRegExp(objects.keysDeep(data), "g");
  const fill = (text: unknown): string => lodash.template(String(text), { interpolate })(data);
  return Object.fromEntries(
    TEMPLATE_PARTS.filter((name) => template[name]).map((name) => [name, fill(template[name])]),
  );
}

export function createEmails(runtime: () => Runtime, config: CodeConfig) {
  let opened: (PluginView & { provider?: { send?: Send } }) | undefined;
  const send = async (options: Values): Promise<unknown> => {
    const provider = opened?.provider;
    if (typeof provider?.send !== "function") throw new TypeError("provider.send is not a function");
    return provider.send(options);
  };
  const service = {
    send,
    sendTemplatedEmail: async (options: Values, template: Values = {}, data: Values = {}) =>
      send({ ...options, ...fillTemplate(template, data) }),
    getProviderSettings: () => config.get("plugin::email"),
  };
  const services: Members = { email: () => service };

  /** Sets `strapi.plugin("email").provider`, also if the project's own cannot be loaded. Throws its errors. */
  function open(view: PluginView): void {
    const { access, root, settings, service } = runtime();
    const { mailer } = access;
    const own = { send: (options: Values) => mailer.sendDirectly(readMail(options)) };
    opened = Object.assign(view, { provider: own });
    mailer.override = (options) =>
      (service("plugin::email.email") as { readonly send: (options: object) => unknown }).send(options);
    if (settings.email.provider !== "plugin") return;
    const failing = (error: unknown) => ({ send: () => Promise.reject(error) });
    try {
      Object.assign(view, { provider: createMailProvider(root, config.get("plugin::email") as Section) });
    } catch (error) {
      Object.assign(view, { provider: failing(error) });
      throw error;
    }
  }

  return { open, services };
}
