/** `/users-permissions`: settings of registration, and mail templates. Files of the project override them. */
import { EMAIL_KEY } from "../../engine/access/mail-templates.ts";
import { emailTemplates, GRANT_KEY, signInProviders } from "../../engine/access/store-defaults.ts";
import { ADVANCED_KEY, advancedValue, offersProviders } from "../../engine/access/stored-auth.ts";
import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { applicationError, validationError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { type AdminRoute, type JsonObject, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";

const PATH = "/users-permissions";
const NAMES = [
  "unique_email",
  "allow_register",
  "email_confirmation",
  "email_reset_password",
  "email_confirmation_redirection",
  "default_role",
];

/** Variables that templates may use. Other expressions in tags are refused, as by Strapi. */
const TEMPLATE_VARIABLES = ["URL", "ADMIN_URL", "SERVER_URL", "CODE", "USER", "USER.email", "USER.username", "TOKEN"];

function isSafe(template: unknown): boolean {
  const options = isRecord(template) ? template.options : undefined;
  const message = isRecord(options) ? options.message : undefined;
  if (typeof message !== "string") return true;
  const rest = message.replace(/<%=([^%]*)%>/g, (tag, name: string) =>
    TEMPLATE_VARIABLES.includes(name.trim()) ? "" : tag,
  );
  return !/<%|\$\{[^{}]*\}/.test(rest);
}

function requireBody(input: JsonObject): JsonObject {
  if (Object.keys(input).length === 0) throw validationError("Request body cannot be empty");
  return input;
}

/** Settings of `config/galley.json`, which override what is stored. */
const configuredNames = ({ settings }: Pick<AdminServices, "settings">): string[] =>
  Object.keys(settings.galley.auth ?? {});

/** What the page says beside these settings. */
export const pageUserSettingsRoutes = (services: AdminServices): AdminRoute[] => [
  route("GET", `${API_PATH}/user-settings`, () => ok({ data: { configured: configuredNames(services) } })),
];

export function userSettingsRoutes({ context: { storage }, settings, listRoles }: AdminServices): AdminRoute[] {
  const advanced = (): JsonObject => advancedValue(settings, storedValue(storage, ADVANCED_KEY));
  return [
    // there are no policies of the plugin's own, as in Strapi
    route("GET", `${PATH}/policies`, () => ok({ policies: [] })),
    route("GET", `${PATH}/advanced`, () =>
      ok({ settings: advanced(), roles: listRoles().map((role) => ({ ...role, locale: null })) }),
    ),
    route("PUT", `${PATH}/advanced`, async ({ body }) => {
      const input = requireBody(await body());
      const [configured] = configuredNames({ settings });
      if (configured !== undefined)
        throw applicationError(`auth.${configured} is set in config/galley.json: change these settings there`);
      const changes = Object.entries(input).filter(([name]) => NAMES.includes(name));
      await storage.write(() => setStored(storage, ADVANCED_KEY, { ...advanced(), ...Object.fromEntries(changes) }));
      return ok({ ok: true });
    }),
    route("GET", `${PATH}/email-templates`, () => ok(storedValue(storage, EMAIL_KEY) ?? emailTemplates)),
    route("PUT", `${PATH}/email-templates`, async ({ body }) => {
      const templates = requireBody(await body())["email-templates"];
      if (isRecord(templates) && !Object.values(templates).every(isSafe)) throw validationError("Invalid template");
      await storage.write(() => setStored(storage, EMAIL_KEY, toRecord(templates)));
      return ok({ ok: true });
    }),
  ];
}

/** `/users-permissions/providers`: settings of login providers, stored as in Strapi. */
const PROVIDERS = "/users-permissions/providers";

export function providerRoutes({ context: { storage }, settings, hasCode, reload }: AdminServices): AdminRoute[] {
  const read = (): Record<string, unknown> => ({
    ...signInProviders(settings),
    ...toRecord(storedValue(storage, GRANT_KEY)),
  });
  return [
    route("GET", PROVIDERS, ({ request }) => {
      const base = `${settings.server.url || new URL(request.url).origin}${settings.rest.prefix}`;
      const shown = Object.entries(read()).map(([name, provider]) =>
        name === "email"
          ? [name, provider]
          : [name, { ...toRecord(provider), redirectUri: `${base}/connect/${name}/callback` }],
      );
      return ok(Object.fromEntries(shown));
    }),
    route("PUT", PROVIDERS, async ({ body }) => {
      const { providers } = requireBody(await body());
      await storage.write(() => setStored(storage, GRANT_KEY, toRecord(providers)));
      // only projects that need it have what serves providers
      if (!hasCode() && offersProviders(storage)) await reload?.();
      return ok({ ok: true });
    }),
  ];
}
