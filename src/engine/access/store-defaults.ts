/** The default values of Strapi's store, which code may read and change in part. */
import type { Settings } from "../config/settings.ts";

const SENDER = { name: "Administration Panel", email: "no-reply@strapi.io" };

const template = (name: string, icon: string, object: string, message: string) => ({
  display: `Email.template.${name}`,
  icon,
  options: { from: SENDER, response_email: "", object, message },
});

export const emailTemplates = {
  reset_password: template(
    "reset_password",
    "sync",
    "Reset password",
    "<p>We heard that you lost your password. Sorry about that!</p>\n\n<p>But don’t worry! You can use the following link to reset your password:</p>\n<p><%= URL %>?code=<%= TOKEN %></p>\n\n<p>Thanks.</p>",
  ),
  email_confirmation: template(
    "email_confirmation",
    "check-square",
    "Account confirmation",
    "<p>Thank you for registering!</p>\n\n<p>You have to confirm your email address. Please click on the link below.</p>\n\n<p><%= URL %>?confirmation=<%= CODE %></p>\n\n<p>Thanks.</p>",
  ),
};

type Provider = readonly [icon: string, scope: readonly string[], more?: Readonly<Record<string, string>>];

/** Sign-in providers by name. */
const providers: Readonly<Record<string, Provider>> = {
  discord: ["discord", ["identify", "email"]],
  facebook: ["facebook-square", ["email"]],
  google: ["google", ["email"]],
  github: ["github", ["user", "user:email"]],
  microsoft: ["windows", ["user.read"]],
  twitter: ["twitter", []],
  instagram: ["instagram", ["user_profile"]],
  vk: ["vk", ["email"]],
  twitch: ["twitch", ["user:read:email"]],
  linkedin: ["linkedin", ["r_liteprofile", "r_emailaddress"]],
  cognito: ["aws", ["email", "openid", "profile"], { subdomain: "my.subdomain.com" }],
  reddit: ["reddit", ["identity"]],
  auth0: ["", ["openid", "email", "profile"], { subdomain: "my-tenant.eu" }],
  cas: ["book", ["openid email"], { subdomain: "my.subdomain.com/cas" }],
  patreon: ["", ["identity", "identity[email]"]],
  keycloak: ["", ["openid", "email", "profile"], { subdomain: "myKeycloakProvider.com/realms/myrealm" }],
};

/** Providers whose configuration has the path as `callback` instead of `callbackUrl`. */
const WITH_CALLBACK_KEY: ReadonlySet<string> = new Set(["cognito", "reddit", "auth0", "cas", "patreon", "keycloak"]);

export const GRANT_KEY = "plugin_users-permissions_grant";

type ProviderConfig = Readonly<Record<string, unknown>>;

/** The configuration of all built-in providers, by name. */
export function signInProviders({ server, rest }: Settings): Readonly<Record<string, ProviderConfig>> {
  const base = [server.url.replace(/\/+$/, ""), rest.prefix.replace(/^\/+/, ""), "auth"].filter(Boolean).join("/");
  const configs = Object.entries(providers).map(([name, [icon, scope, more = {}]]) => [
    name,
    {
      enabled: false,
      icon,
      key: "",
      secret: "",
      ...more,
      [WITH_CALLBACK_KEY.has(name) ? "callback" : "callbackUrl"]: `${base}/${name}/callback`,
      ...(scope.length > 0 ? { scope } : {}),
    },
  ]);
  return { email: { enabled: true, icon: "envelope" }, ...Object.fromEntries(configs) };
}

export const uploadSettings = {
  sizeOptimization: true,
  responsiveDimensions: true,
  autoOrientation: false,
  aiMetadata: true,
};

export const UPLOAD_VIEW_KEY = "plugin_upload_view_configuration";
export const uploadView = { pageSize: 10, sort: "createdAt:DESC" };
