/** Generated requests, each from a source of random numbers alone, so that a seed and an index make the same one again. */
import { deflateSync, gzipSync } from "node:zlib";
import { adminRequest } from "./admin.ts";
import type { Choices } from "./choices.ts";
import { ownRequest } from "./own-requests.ts";
import { ADMIN, READER } from "./project.ts";
import { operation, queryString } from "./queries.ts";
import { anything, chooseId, createData, oddText, typeNames } from "./values.ts";

export interface Generated {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const JSON_TYPE = "application/json";

function credentials(random: Choices): Record<string, string> {
  const kind = random.below(10);
  if (kind < 4 || (kind === 9 && !random.slips(1))) return {};
  if (kind < 7) return { authorization: `Bearer ${ADMIN}` };
  if (kind < 9) return { authorization: `Bearer ${READER}` };
  return {
    authorization: `${random.pick(["Bearer", "Basic", ""])} ${encodeURIComponent(oddText(random).toWellFormed())}`,
  };
}

function json(random: Choices, method: string, path: string, value: unknown, sender = credentials(random)): Generated {
  const text = JSON.stringify(value) ?? "";
  const body = random.slips(0.04) ? text.slice(0, random.below(text.length + 1)) : text;
  return { method, path, headers: { ...sender, "content-type": JSON_TYPE }, body };
}

function read(random: Choices): Generated {
  const type = random.pick(typeNames);
  const id = random.chance(0.3) ? `/${chooseId(random, type)}` : "";
  return {
    method: random.chance(0.9) ? "GET" : "HEAD",
    path: `/api/${type}s${id}?${queryString(random, type)}`,
    headers: credentials(random),
  };
}

function write(random: Choices): Generated {
  const type = random.pick(typeNames);
  const query = random.chance(0.4) ? `?${queryString(random, type)}` : "";
  const kind = random.below(10);
  if (kind === 0 && random.slips(0.5))
    return { method: "DELETE", path: `/api/${type}s/${chooseId(random, type)}${query}`, headers: credentials(random) };
  const data = random.slips(0.1) ? anything(random) : createData(random, type);
  const body = random.slips(0.1) ? anything(random) : { data };
  return kind < 6
    ? json(random, "POST", `/api/${type}s${query}`, body)
    : json(random, "PUT", `/api/${type}s/${chooseId(random, type)}${query}`, body);
}

const graphql = (random: Choices): Generated =>
  json(random, "POST", "/graphql", operation(random, random.pick(typeNames)));

const authRoutes: readonly (readonly [string, readonly string[]])[] = [
  ["local", ["identifier", "password"]],
  ["local/register", ["username", "email", "password"]],
  ["forgot-password", ["email"]],
  ["reset-password", ["code", "password", "passwordConfirmation"]],
  ["change-password", ["currentPassword", "password", "passwordConfirmation"]],
  ["send-email-confirmation", ["email"]],
  ["refresh", ["refreshToken"]],
  ["logout", ["refreshToken", "deviceId", "scope"]],
];

/** Mostly refused before a password is hashed, which takes its time by design. */
function auth(random: Choices): Generated {
  const [route, fields] = random.pick(authRoutes);
  const value = () => (random.chance(0.5) ? anything(random, 2) : oddText(random));
  const keys = fields.filter(() => random.chance(0.8));
  const body = Object.fromEntries(keys.map((key) => [key, value()]));
  if (random.chance(0.1)) body[oddText(random)] = value();
  return json(random, "POST", `/api/auth/${route}`, random.chance(0.95) ? body : anything(random));
}

const LINE = "\r\n";

/** Cut off anywhere. */
function multipart(random: Choices): Generated {
  const boundary = !random.slips(0.1) ? "B" : oddText(random).replace(/[^ -~]/g, "");
  const parts = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(["files", "fileInfo", "ref", "refId", "field", "data", oddText(random)]);
    const file = random.chance(0.6)
      ? `; filename="${random.chance(0.5) ? random.pick(["a.png", "a.svg", "a.txt"]) : oddText(random)}"`
      : "";
    const type = random.chance(0.5)
      ? `Content-Type: ${random.pick(["image/png", "image/svg+xml", "text/plain", "x"])}${LINE}`
      : "";
    const content = random.pick([
      "x",
      "",
      "<svg width='9' height='9'></svg>",
      "\u0089PNG\r\n\u001a\n",
      '{"name":"a"}',
      oddText(random),
    ]);
    return `--B${LINE}Content-Disposition: form-data; name="${name}"${file}${LINE}${type}${LINE}${content}${LINE}`;
  });
  const whole = Buffer.from(`${parts.join("")}--B--${LINE}`, random.chance(0.5) ? "utf8" : "latin1");
  const body = new Uint8Array(random.slips(0.6) ? whole.subarray(0, random.below(whole.length + 1)) : whole);
  const path = random.pick([
    "/api/upload",
    "/api/upload",
    "/api/upload?id=1",
    "/api/auth/local",
    "/api/posts",
    "/graphql",
  ]);
  return {
    method: "POST",
    path,
    headers: { ...credentials(random), "content-type": `multipart/form-data; boundary=${boundary}` },
    body,
  };
}

const nested = (levels: number, inside: string): string => "[".repeat(levels) + inside + "]".repeat(levels);
const bombs: readonly (() => string)[] = [
  () => `{"identifier":${nested(500, `${"0,".repeat(300_000)}0`)}}`,
  () => `{"data":[${nested(500, `${"0,".repeat(400_000)}0`)}]}`,
  () => `{"data":{"title":"${"x".repeat(900_000)}"}}`,
  () => `{"data":{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":0`).join(",")}}}`,
  () => `{"data":{"parts":[${"{},".repeat(24_000)}{}]}}`,
  () => `{"data":{"title":"t","tags":[${"1,".repeat(100_000)}1]}}`,
  () => `{"data":{"title":"t","code":"${"a".repeat(500_000)}!"}}`,
  () => `{"query":"{ posts { title } }","variables":{"a":${nested(400, "0")}}}`,
  () => `{"query":"{ ${"__typename ".repeat(50_000)} }"}`,
  () => "0".repeat(60_000_000),
];
const encodings = { gzip: gzipSync, deflate: deflateSync } as const;
const packed = new Map<string, Uint8Array<ArrayBuffer>>();

function bomb(random: Choices): Generated {
  const which = random.below(bombs.length);
  const encoding = random.pick(["gzip", "deflate"] as const);
  const body = packed.getOrInsertComputed(
    `${which} ${encoding}`,
    () => new Uint8Array(encodings[encoding](bombs[which]!())),
  );
  const path = random.pick(["/api/auth/local", "/api/posts", "/api/posts", "/graphql"]);
  const headers = {
    authorization: `Bearer ${ADMIN}`,
    "content-type": JSON_TYPE,
    "content-encoding": random.chance(0.95) ? encoding : "br",
  };
  return { method: "POST", path, headers, body };
}

function elsewhere(random: Choices): Generated {
  const places = [
    "/api/users",
    "/api/users/me",
    "/api/upload/files",
    "/api/i18n/locales",
    "/api/content-type-builder/content-types",
    "/",
    "/uploads/",
    "/_health",
    "/api/users-permissions/roles",
    "/graphql?query=",
    "/api/",
    "/docs",
    "/docs/",
    "/openapi.json",
    "/admin",
    "/admin/assets/",
    "/admin/api/",
  ];
  const end = random.chance(0.5) ? encodeURI(oddText(random).toWellFormed()) : "";
  const query = random.chance(0.5) ? `?${queryString(random, "post")}` : "";
  const method = random.pick(["GET", "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]);
  const accept = random.pick(["*/*", "text/html", "application/json", "x"]);
  return {
    method,
    path: random.pick(places) + end + query,
    headers: { ...credentials(random), accept, range: `bytes=${random.below(9)}-` },
  };
}

function admin(random: Choices): Generated {
  const { method, path, headers, body } = adminRequest(random);
  return body === undefined ? { method, path, headers } : json(random, method, path, body, headers);
}

function own(random: Choices): Generated {
  const { method, path, headers, body } = ownRequest(random);
  const sent = { ...credentials(random), ...headers };
  return body === undefined ? { method, path, headers: sent } : json(random, method, path, body, sent);
}

const OWN_SHARE = 0.3;

const kinds: readonly (readonly [weight: number, make: (random: Choices) => Generated])[] = [
  [420, read],
  [200, write],
  [200, graphql],
  [90, multipart],
  [60, elsewhere],
  [100, admin],
  [29, auth],
  [1, bomb],
];
const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

/** `ownCode`: the project has routes of its own. */
export function generate(random: Choices, ownCode = false): Generated {
  if (ownCode && random.chance(OWN_SHARE)) return own(random);
  let at = random.below(total);
  for (const [weight, make] of kinds) {
    if (at < weight) return make(random);
    at -= weight;
  }
  throw new Error("Weights do not add up");
}
