/** The route that lists the project's locales. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import { findRows } from "../../engine/query/run.ts";
import { emptyQuery } from "../../engine/query/tree.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
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
