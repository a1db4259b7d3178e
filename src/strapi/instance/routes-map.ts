/** Lists the routes of the content API, for code. */
import { configWithScope, type DeclaredRoute, ownerOfRoute } from "../koa/routes.ts";

/** Routes by owner, with the full uids of their handlers. */
export function routesMap(routes: readonly DeclaredRoute[]) {
  const own = routes.filter(({ info }) => info.type === "content-api");
  return Object.groupBy(
    own.map((route) => {
      const { method, path, handler, info } = route;
      const config = configWithScope(route);
      const owner = ownerOfRoute(info);
      const isShort = typeof handler === "string" && !handler.includes("::");
      return { method, path, handler: isShort ? `${owner}.${handler}` : handler, config, info };
    }),
    ({ info }) => ownerOfRoute(info),
  );
}
