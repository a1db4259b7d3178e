/** The public URLs of the server and of its admin page, as Strapi derives them from `config/server` and `config/admin`. */
import { stringOrNone } from "../../lib/coerce.ts";
import type { ConfigFiles } from "./files.ts";

export interface PublicUrls {
  /** Absolute, a path, or empty. Without a slash at the end. */
  readonly server: string;
  /** Absolute, or a path. */
  readonly admin: string;
  /** The path of the admin page below the server. */
  readonly adminPath: string;
}

const trim = (url: string): string => url.replace(/^[/ ]+|[/ ]+$/g, "");

export const isAbsolute = (url: string): boolean => url.startsWith("http");

/** As it is if it cannot be parsed. */
const normalized = (url: string): string => trim(URL.parse(url)?.href ?? url);

function publicUrls(serverUrl: string, adminUrl = "/admin"): PublicUrls {
  const server = isAbsolute(trim(serverUrl)) ? normalized(trim(serverUrl)) : trim(serverUrl) && `/${trim(serverUrl)}`;
  const ownAdmin = trim(adminUrl);
  if (!isAbsolute(ownAdmin)) return { server, admin: `${server}/${ownAdmin}`, adminPath: `/${ownAdmin}` };
  const admin = normalized(ownAdmin);
  const path = URL.parse(admin)?.pathname ?? "/";
  return { server, admin, adminPath: admin.startsWith(`${server}/`) ? admin.slice(server.length) : path };
}

/** Those of a project, whose `config/admin` is read. `serverUrl`: that of `config/server`. */
export function readPublicUrls(files: ConfigFiles, serverUrl: string): PublicUrls {
  const { url } = files.section("admin").section;
  return publicUrls(serverUrl, stringOrNone(url));
}

/** Those with a host. */
export const absoluteUrls = ({ server, admin }: PublicUrls): URL[] =>
  [server, admin].flatMap((url) => URL.parse(url) ?? []);
