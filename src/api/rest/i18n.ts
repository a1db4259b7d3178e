/** The route that lists the project's locales. */
import type { DocumentsContext } from "../../documents/context.ts";
import { trustedQuery } from "../../query/check-query.ts";
import { findRows } from "../../query/run.ts";
import { emptyQuery } from "../../query/tree.ts";
import { LOCALE } from "../../schema/builtin/index.ts";
import { contentType } from "../../schema/model.ts";
import type { RestRoute } from "./call.ts";

export const i18nRoutes = ({ storage, model, defaultLocale }: DocumentsContext): RestRoute[] => [
  {
    method: "GET",
    path: "/i18n/locales",
    action: "plugin::i18n.locales.listLocales",
    handle: () => {
      const query = trustedQuery(emptyQuery(contentType(model, LOCALE)));
      const locales = findRows({ storage, model, status: "published" }, query, { locales: undefined });
      const defaultCode = defaultLocale();
      return { status: 200, body: locales.map((locale) => ({ ...locale, isDefault: locale.code === defaultCode })) };
    },
  },
];
