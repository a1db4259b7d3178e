/** Requests of the admin page: with its session, and the headers that a browser sends. */
import { afterAll, beforeAll } from "bun:test";
import { signInLink } from "../../src/admin/session/session.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import type { Body } from "../project.ts";

const OWN = { host: "localhost", "sec-fetch-site": "same-origin", "x-galley-admin": "1" };
const API = "http://localhost/admin/api";

type Server = Pick<Galley, "handle">;
export type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>;

/** The cookie of a new session. `key`: the server's ADMIN_JWT_SECRET. */
export async function signedIn(server: Server, key: string): Promise<string> {
  const token = signInLink("http://localhost", key, Date.now()).split("#")[1];
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...OWN },
    body: JSON.stringify({ token }),
  };
  const response = await server.handle(new Request(`${API}/session`, init));
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

/** Paths are those below the page's. */
export const askAs =
  (server: Server, cookie: string): Ask =>
  async (method, path, body) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { ...OWN, cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const response = await server.handle(new Request(API + path, { method, headers, ...json }));
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };

/** Serves a project in memory to a signed-in administrator while the tests of a file run. `opened` is called before the first. */
export function openSignedIn(
  folder: { readonly root: string; readonly remove: () => void },
  key: string,
  opened: (parts: { galley: Galley; ask: Ask }) => void,
): void {
  let galley: Galley;
  beforeAll(async () => {
    galley = await createGalley({ project: folder.root, admin: true, environment: { ADMIN_JWT_SECRET: key } });
    opened({ galley, ask: askAs(galley, await signedIn(galley, key)) });
  });
  afterAll(async () => {
    await galley.close();
    folder.remove();
  });
}
