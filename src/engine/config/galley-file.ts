/** `config/galley.json`: settings that Strapi stores in its database. The shape is checked when the file has changed. */
import { type Static, Type } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { type LimitName, limitNames } from "../../lib/budget.ts";
import { ProjectError } from "../../lib/errors.ts";
import { nearest } from "../../lib/nearest.ts";

/** Letters by which a misspelt key may differ from a known one. */
const MAX_TYPOS = 2;

const Text = Type.String({ minLength: 1 });
/** A duration such as "30d". */
const Lifespan = Type.String({ pattern: "^\\s*\\d+(\\.\\d+)?\\s*([smhdwySMHDWY][a-zA-Z]*)?\\s*$" });
const Seconds = Type.Integer({ minimum: 1 });

const Locale = Type.Object(
  { code: Text, name: Type.Optional(Type.Union([Text, Type.Null()])), isDefault: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);

const User = Type.Object(
  {
    username: Text,
    email: Text,
    password: Type.Optional(Text),
    role: Type.Optional(Text),
    confirmed: Type.Optional(Type.Boolean()),
    blocked: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
);

const Token = Type.Object(
  {
    name: Text,
    type: Type.Union([
      Type.Literal("full-access"),
      Type.Literal("read-only"),
      Type.Literal("custom"),
      Type.Literal("admin"),
    ]),
    description: Type.Optional(Type.String()),
    key: Type.Optional(Text),
    keyEnv: Type.Optional(Text),
    permissions: Type.Optional(Type.Array(Text)),
    expiresAt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);

const Auth = Type.Object(
  {
    jwtManagement: Type.Optional(Type.Union([Type.Literal("legacy-support"), Type.Literal("refresh")])),
    sessions: Type.Optional(
      Type.Object(
        {
          accessTokenLifespan: Type.Optional(Seconds),
          maxRefreshTokenLifespan: Type.Optional(Seconds),
          idleRefreshTokenLifespan: Type.Optional(Seconds),
          httpOnly: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
    jwt: Type.Optional(
      Type.Object({ expiresIn: Type.Optional(Type.Union([Lifespan, Seconds])) }, { additionalProperties: false }),
    ),
    allowRegister: Type.Optional(Type.Boolean()),
    uniqueEmail: Type.Optional(Type.Boolean()),
    emailConfirmation: Type.Optional(Type.Boolean()),
    emailConfirmationRedirection: Type.Optional(Type.String()),
    resetPasswordUrl: Type.Optional(Type.String()),
    defaultRole: Type.Optional(Text),
    register: Type.Optional(
      Type.Object({ allowedFields: Type.Optional(Type.Array(Text)) }, { additionalProperties: false }),
    ),
    ratelimit: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(Type.Boolean()),
          interval: Type.Optional(Type.Integer({ minimum: 1 })),
          max: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const Email = Type.Object(
  {
    provider: Type.Optional(
      Type.Union([Type.Literal("outbox"), Type.Literal("discard"), Type.Literal("smtp"), Type.Literal("plugin")]),
    ),
    from: Type.Optional(Text),
    smtp: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

const Upload = Type.Object(
  {
    provider: Type.Optional(Type.Union([Type.Literal("local"), Type.Literal("plugin")])),
    sizeLimit: Type.Optional(Type.Integer({ minimum: 0 })),
    breakpoints: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]*$" }), Type.Integer({ minimum: 1, maximum: 10_000 })),
    ),
    security: Type.Optional(
      Type.Object(
        { allowedTypes: Type.Optional(Type.Array(Text)), deniedTypes: Type.Optional(Type.Array(Text)) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const Limit = Type.Optional(Type.Integer({ minimum: 1 }));

const Limits = Type.Object(
  Object.fromEntries(limitNames.map((name) => [name, Limit])) as Record<LimitName, typeof Limit>,
  {
    additionalProperties: false,
  },
);

/** Time limits in seconds. */
const Code = Type.Object(
  { timeout: Type.Optional(Seconds), hookTimeout: Type.Optional(Seconds) },
  { additionalProperties: false },
);

const Admin = Type.Object(
  {
    hosts: Type.Optional(Type.Array(Text)),
    /** By content-type: the URL of a published document, with its attributes in braces. */
    sites: Type.Optional(Type.Record(Type.String(), Type.String({ pattern: "^https?://" }))),
  },
  { additionalProperties: false },
);

const Webhooks = Type.Object(
  {
    send: Type.Optional(Type.Union([Type.Literal("off"), Type.Literal("local"), Type.Literal("public")])),
    hosts: Type.Optional(Type.Array(Text)),
  },
  { additionalProperties: false },
);

const CacheTags = Type.Union([
  Type.Boolean(),
  Type.Object(
    {
      headers: Type.Optional(
        Type.Array(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9-]*$" }), { minItems: 1, maxItems: 8 }),
      ),
      bytes: Type.Optional(Type.Integer({ minimum: 100, maximum: 65_536 })),
    },
    { additionalProperties: false },
  ),
]);

/** The shape of `config/galley.json`. */
export const GalleyFile = Type.Object(
  {
    locales: Type.Optional(Type.Array(Locale, { minItems: 1 })),
    roles: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Type.Array(Text))),
    users: Type.Optional(Type.Array(User)),
    tokens: Type.Optional(Type.Array(Token)),
    auth: Type.Optional(Auth),
    email: Type.Optional(Email),
    admin: Type.Optional(Admin),
    docs: Type.Optional(Type.Boolean()),
    upload: Type.Optional(Upload),
    proxies: Type.Optional(Type.Array(Text)),
    limits: Type.Optional(Limits),
    code: Type.Optional(Code),
    webhooks: Type.Optional(Webhooks),
    cacheTags: Type.Optional(CacheTags),
    customFields: Type.Optional(Type.Record(Type.String(), Text)),
  },
  { additionalProperties: false },
);

export type GalleySettings = Static<typeof GalleyFile>;

function isNetwork(text: string): boolean {
  const { isIP } = require("node:net") as typeof import("node:net");
  const [address = "", bits, ...rest] = text.split("/");
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return (
    maxBits > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

/** What is wrong with a value, with a suggestion for a misspelt key. */
function describeError({ type, path, value, schema, message }: ValueError): string {
  if (type !== ValueErrorType.ObjectAdditionalProperties)
    return value === undefined ? "is missing" : message.toLowerCase();
  const key = path.slice(path.lastIndexOf("/") + 1);
  const known = nearest(key, Object.keys(schema.properties), MAX_TYPOS);
  return known === undefined ? "is not a known key" : `is not a known key; did you mean ${known}?`;
}

/** Throws a ProjectError that names the key. */
export function checkGalleyFile(value: unknown, file: string): void {
  const error = Value.Check(GalleyFile, value) ? undefined : Value.Errors(GalleyFile, value).First();
  if (error) {
    const key = error.path.slice(1).replaceAll("/", ".");
    throw new ProjectError(file, key || undefined, describeError(error));
  }
  const settings = value as GalleySettings;
  const defaults = settings.locales?.filter(({ isDefault }) => isDefault) ?? [];
  if (settings.locales && defaults.length !== 1) {
    throw new ProjectError(file, "locales", `exactly one locale must have "isDefault": true, not ${defaults.length}`);
  }
  for (const [index, network] of (settings.proxies ?? []).entries()) {
    if (!isNetwork(network))
      throw new ProjectError(file, `proxies.${index}`, "must be an IP address, or a network such as 10.0.0.0/8");
  }
  for (const [index, { key, keyEnv, type, permissions, expiresAt }] of (settings.tokens ?? []).entries()) {
    const path = `tokens.${index}`;
    if ((key === undefined) === (keyEnv === undefined))
      throw new ProjectError(file, path, "needs either key or keyEnv");
    if (permissions && type !== "custom")
      throw new ProjectError(file, `${path}.permissions`, "only custom tokens list permissions");
    if (expiresAt && Number.isNaN(Date.parse(expiresAt)))
      throw new ProjectError(file, `${path}.expiresAt`, "is not an ISO time");
  }
}
