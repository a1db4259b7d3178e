/** Services of the plugins for mails and locales. */
import { validationError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { LOCALE } from "../../schema/builtin/index.ts";
import type { Runtime } from "../runtime.ts";
import type { Members } from "./plugin.ts";

type Values = Record<string, unknown>;

const textOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(", ") : typeof value === "string" ? value : undefined;

const withoutTags = (html: string): string =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

export function emailServices(runtime: () => Runtime): Members {
  const send = async (options: Values): Promise<void> => {
    const { to, subject, text, html, from, cc, bcc, replyTo } = options;
    const address = textOf(to);
    if (address === undefined) throw validationError("to is a required field");
    const body = textOf(html);
    await runtime().access.mailer.send({
      to: address,
      subject: textOf(subject) ?? "",
      text: textOf(text) ?? withoutTags(body ?? ""),
      html: body,
      from: textOf(from),
      cc: textOf(cc),
      bcc: textOf(bcc),
      replyTo: textOf(replyTo),
    });
  };
  const fill = (template: unknown, data: Values): string =>
    String(template ?? "").replace(/<%[=-]\s*([\w.]+)\s*%>/g, (_, path: string) =>
      String(path.split(".").reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), data) ?? ""),
    );
  const sendTemplatedEmail = async (options: Values, template: Values = {}, data: Values = {}): Promise<void> => {
    const parts = ["subject", "text", "html"].filter((name) => template[name] !== undefined);
    await send({ ...options, ...Object.fromEntries(parts.map((name) => [name, fill(template[name], data)])) });
  };
  const service = { send, sendTemplatedEmail, getProviderSettings: () => runtime().settings.email };
  return { email: () => service };
}

export function localeServices(runtime: () => Runtime): Members {
  const locales = () => runtime().query(LOCALE);
  const service = {
    find: (where: Params = {}) => locales().findMany({ where }),
    findById: (id: unknown) => locales().findOne({ where: { id } }),
    findByCode: (code: string) => locales().findOne({ where: { code } }),
    count: (where: Params = {}) => locales().count({ where }),
    create: (data: Values) => locales().create({ data }),
    update: (where: Params, data: Values) => locales().update({ where, data }),
    delete: (where: Params) => locales().delete({ where: isRecord(where) ? where : { id: where } }),
    getDefaultLocale: async () => runtime().context.defaultLocale(),
    setIsDefault: async (locale: unknown) =>
      [locale].flat().map((item) => ({
        ...(item as Values),
        isDefault: (item as Values).code === runtime().context.defaultLocale(),
      })),
  };
  return {
    locales: () => service,
    "content-types": () => ({
      isLocalizedContentType: (type: unknown) => {
        const options = isRecord(type) && isRecord(type.pluginOptions) ? type.pluginOptions.i18n : undefined;
        return isRecord(options) && options.localized === true;
      },
    }),
  };
}
