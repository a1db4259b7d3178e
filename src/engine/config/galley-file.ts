/** `config/galley.json`: settings that Strapi stores in its database. The shape is checked when the file has changed. */
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { type LimitName, limitNames } from "../../lib/budget.ts";
import { ProjectError } from "../../lib/errors.ts";
import { hintFor } from "../../lib/nearest.ts";
import { describeChoices, findInnerError } from "../../lib/value-error.ts";

const Text = Type.String({ minLength: 1 });
/** A duration such as "30d". */
const Lifespan = Type.String({ pattern: "^\\s*\\d+(\\.\\d+)?\\s*([smhdwySMHDWY][a-zA-Z]*)?\\s*$" });
const Count = Type.Integer({ minimum: 1 });
const Seconds = Count;
const Texts = Type.Unsafe<readonly string[]>(Type.Array(Text));
const Flag = Type.Boolean();
const Host = Type.String({ pattern: "^[^\\s/]+$", description: "a host, with or without a port" });

const OneOf = <T extends string>(...values: readonly T[]) =>
  Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))));

/** An object with some of the settings, and no others. */
const Settings = <T extends TProperties>(settings: T) =>
  Type.Partial(Type.Object(settings), { additionalProperties: false });

const Locale = Type.Object(
  { code: Text, name: Type.Optional(Type.Union([Text, Type.Null()])), isDefault: Type.Optional(Flag) },
  { additionalProperties: false },
);

const User = Type.Object(
  {
    username: Text,
    email: Text,
    password: Type.Optional(Text),
    role: Type.Optional(Text),
    confirmed: Type.Optional(Flag),
    blocked: Type.Optional(Flag),
  },
  { additionalProperties: false },
);

const Token = Type.Object(
  {
    name: Text,
    type: OneOf("full-access", "read-only", "custom", "admin"),
    description: Type.Optional(Type.String()),
    key: Type.Optional(Text),
    keyEnv: Type.Optional(Text),
    permissions: Type.Optional(Texts),
    expiresAt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);

const Auth = Settings({
  jwtManagement: OneOf("legacy-support", "refresh"),
  sessions: Settings({
    accessTokenLifespan: Seconds,
    maxRefreshTokenLifespan: Seconds,
    idleRefreshTokenLifespan: Seconds,
    httpOnly: Flag,
  }),
  jwt: Settings({ expiresIn: Type.Union([Lifespan, Seconds], { description: 'seconds, or a text such as "7d"' }) }),
  allowRegister: Flag,
  uniqueEmail: Flag,
  emailConfirmation: Flag,
  emailConfirmationRedirection: Type.String(),
  resetPasswordUrl: Type.String(),
  defaultRole: Text,
  register: Settings({ allowedFields: Texts }),
  ratelimit: Settings({ enabled: Flag, interval: Count, max: Count }),
});

const Email = Settings({
  provider: OneOf("outbox", "discard", "smtp", "plugin"),
  from: Text,
  smtp: Type.Record(Type.String(), Type.Unknown()),
});

const Upload = Settings({
  provider: OneOf("local", "plugin"),
  sizeLimit: Type.Integer({ minimum: 0 }),
  breakpoints: Type.Record(
    Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]*$" }),
    Type.Integer({ minimum: 1, maximum: 10_000 }),
    { additionalProperties: false },
  ),
  security: Settings({ allowedTypes: Texts, deniedTypes: Texts }),
});

const Limits = Settings(Object.fromEntries(limitNames.map((name) => [name, Count])) as Record<LimitName, typeof Count>);

const Admin = Settings({
  hosts: Texts,
  /** By content-type: the URL of a published document, with its attributes in braces. */
  sites: Type.Record(Type.String(), Type.String({ pattern: "^https?://" })),
});

const CacheTags = Settings({
  headers: Type.Array(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9-]*$" }), { minItems: 1, maxItems: 8 }),
  bytes: Type.Integer({ minimum: 100, maximum: 65_536 }),
});

/** The shape of `config/galley.json`. */
export const GalleyFile = Settings({
  locales: Type.Array(Locale, { minItems: 1 }),
  roles: Type.Record(Text, Texts),
  users: Type.Array(User),
  tokens: Type.Array(Token),
  auth: Auth,
  email: Email,
  admin: Admin,
  docs: Flag,
  upload: Upload,
  proxies: Texts,
  limits: Limits,
  code: Settings({ timeout: Seconds, hookTimeout: Seconds }),
  webhooks: Settings({ send: OneOf("off", "local", "public"), hosts: Type.Array(Host) }),
  cacheTags: Type.Union([Flag, CacheTags], { description: "true, false, or an object with headers and bytes" }),
  customFields: Type.Record(Type.String(), Text),
});

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
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const key = path.slice(path.lastIndexOf("/") + 1);
    return `is not a known key${hintFor(key, Object.keys(schema.properties ?? {}))}`;
  }
  if (value === undefined) return "is missing";
  return describeChoices(schema) ?? (schema.description ? `must be ${schema.description}` : message.toLowerCase());
}

/** Throws a ProjectError for a value that two entries of a list have. */
function expectDistinct<T>(file: string, list: string, entries: readonly T[] = [], key: string & keyof T): void {
  const known = new Map<unknown, number>();
  for (const [index, entry] of entries.entries()) {
    const first = known.getOrInsert(entry[key], index);
    if (first < index) throw new ProjectError(file, `${list}.${index}.${key}`, `is that of ${list}.${first}, too`);
  }
}

/** Throws a ProjectError that names the key. */
export function checkGalleyFile(value: unknown, file: string): void {
  const found = Value.Check(GalleyFile, value) ? undefined : Value.Errors(GalleyFile, value).First();
  if (found) {
    const error = findInnerError(found);
    const key = error.path.slice(1).replaceAll("/", ".");
    throw new ProjectError(file, key || undefined, describeError(error));
  }
  const settings = value as GalleySettings;
  const { locales, users, tokens, auth } = settings;
  expectDistinct(file, "locales", locales, "code");
  expectDistinct(file, "users", users, "username");
  const addresses = users?.map(({ email }) => ({ email: email.toLowerCase() }));
  if (auth?.uniqueEmail !== false) expectDistinct(file, "users", addresses, "email");
  expectDistinct(file, "tokens", tokens, "name");
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
