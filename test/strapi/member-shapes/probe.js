/**
 * Own code of a project that writes down the members of plugins, of `strapi` and of packages, one object a line. It runs on Strapi as well
 * (scripts/conformance/member-shapes.ts). Left out: what begins with an underscore, contents of libraries (Koa, knex, winston, Zod, lodash), values of
 * configuration and of schemas, and what is deeper than four members.
 */
const { writeFileSync } = require("node:fs");

const DEPTH = 4;
/** Members whose own members belong to libraries, or are values of the project. */
const closed = [
  /^strapi\.(config|internal_config|log|logger|fs|dirs|db|telemetry|fetch|contentTypes|components|plugins|apis|services|controllers|policies|middlewares)$/,
  /^strapi\.(server\.(app|router|httpServer)|admin\.(services|controllers|policies|middlewares|contentTypes)|ee\..*)$/,
  /\.(contentTypes\.[^.]+|contentType)\.(schema|attributes|options|pluginOptions|config|__schema__)$/,
  /^view\.[^.]+\.contentTypes\.[^.]+$/,
  /^(utils\.(yup|zod|z)|view\.graphql\.services\.internals\.(args|scalars)|strapi\.admin\.routes)$/,
];

const lines = [];
const isZod = (value) => typeof value === "object" && value !== null && "_zod" in value;

function membersOf(value) {
  const names = new Set(Object.keys(value));
  if (typeof value === "object")
    for (
      let proto = Object.getPrototypeOf(value);
      proto && proto !== Object.prototype;
      proto = Object.getPrototypeOf(proto)
    )
      for (const name of Object.getOwnPropertyNames(proto)) if (name !== "constructor") names.add(name);
  return [...names].filter((name) => !name.startsWith("_")).sort();
}

function read(value, name) {
  try {
    return value[name];
  } catch {
    return undefined;
  }
}

function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "[]";
  if (typeof value === "function") return `/${value.length}`;
  if (typeof value !== "object") return `:${typeof value}`;
  if (isZod(value)) return ":zod";
  return "{}";
}

const isOpen = (value) =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  !Array.isArray(value) &&
  !isZod(value) &&
  !(value instanceof RegExp) &&
  !(value instanceof Map) &&
  !(value instanceof Set) &&
  !(value instanceof Promise);

const shapeOf = (value) => {
  if (value === null || typeof value !== "object") return typeof value === "string" ? value : kindOf(value);
  if (isZod(value)) return "zod";
  if (Array.isArray(value)) return `[${value.map(shapeOf).join(" ")}]`;
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${key}:${shapeOf(value[key])}`)
    .join(" ")}}`;
};

/** Routes are rows: their order and contents matter. */
function walkRoutes(path, rows) {
  // those of the admin page are registered as extensions see them
  if (/^view\..*\.routes\.(?!content-api)/.test(path)) return;
  for (const { method, path: own, handler, ...rest } of rows)
    lines.push(`${path} ${method} ${own} ${typeof handler === "function" ? "function" : handler} ${shapeOf(rest)}`);
}

function walk(path, value, depth = 0, seen = []) {
  if (!isOpen(value) || depth > DEPTH || seen.includes(value) || closed.some((pattern) => pattern.test(path))) return;
  if (typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value))) return;
  const names = membersOf(value);
  // functions of lodash/fp bring the whole library along
  if (typeof value === "function" && (names.length === 0 || names.includes("placeholder"))) return;
  lines.push(
    `${path}${typeof value === "function" ? "()" : ""} ${names.map((name) => name + kindOf(read(value, name))).join(" ")}`.trim(),
  );
  for (const name of names) {
    const member = read(value, name);
    if (name === "routes" && Array.isArray(member)) walkRoutes(`${path}.routes`, member);
    else walk(`${path}.${name}`, member, depth + 1, [...seen, value]);
  }
}

module.exports = {
  extension(name, plugin) {
    walk(`plugin.${name}`, plugin);
    return plugin;
  },
  finish(strapi, file) {
    for (const name of Object.keys(strapi.plugins).sort()) walk(`view.${name}`, strapi.plugin(name));
    walk("strapi", strapi);
    for (const part of ["services", "controllers", "policies", "middlewares", "contentTypes"])
      walk(`admin.${part}`, strapi.admin[part], 1);
    for (const registry of ["policies", "middlewares", "controllers", "services", "content-types"])
      lines.push(
        `registry.${registry} ${strapi
          .get(registry)
          .keys()
          .filter((name) => !/^(api|global)::/.test(name))
          .sort()
          .join(" ")}`,
      );
    walk("factories", require("@strapi/strapi").factories);
    walk("utils", require("@strapi/utils"));
    writeFileSync(file, `${lines.join("\n")}\n`);
  },
};
