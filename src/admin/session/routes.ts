/** Creates, reads and ends the session of the admin page. */
import { type AdminRoute, ok, publicRoute, route } from "../call.ts";
import { ownOrigin } from "../hosts.ts";
import { API_PATH, type SessionServices, signIn, signInLink, signOut } from "./session.ts";

export interface SessionRouteServices extends SessionServices {
  /** Prints a line for the person at the command line; absent where there is none. */
  readonly announce: ((line: string) => void) | undefined;
  /** Names of hosts, besides this machine's own, that links may lead to. In lower case. */
  readonly hosts: readonly string[];
}

const path = `${API_PATH}/session`;
/** Minimum interval between new links: anyone who can reach the page can request one. */
const LINK_INTERVAL_MS = 5_000;

export function sessionRoutes(services: SessionRouteServices): AdminRoute[] {
  let printedAt = Number.NEGATIVE_INFINITY;
  return [
    publicRoute("POST", path, async ({ request, body }) => {
      const { token } = await body();
      const cookie = await signIn(request, typeof token === "string" ? token : "", services);
      return { ...ok({ data: { isSignedIn: true } }), headers: { "Set-Cookie": cookie } };
    }),
    route("GET", path, () => ok({ data: { isSignedIn: true } })),
    route("DELETE", path, async ({ request }) => ({
      ...ok({ data: { isSignedIn: false } }),
      headers: { "Set-Cookie": await signOut(request, services) },
    })),
    {
      // the response never has the link, which is printed on the server's terminal
      method: "POST",
      path: `${path}/link`,
      isPublic: true,
      handle: ({ request }) => {
        const { announce, key, hosts, clock } = services;
        const now = clock.elapsed();
        const isPrinted = announce !== undefined && now - printedAt > LINK_INTERVAL_MS;
        if (isPrinted) {
          printedAt = now;
          announce(`The admin page: ${signInLink(ownOrigin(request, hosts), key, clock.now())}`);
        }
        return ok({ data: { isPrinted } });
      },
    },
  ];
}
