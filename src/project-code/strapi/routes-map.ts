/** Lists the routes of the content API, for code. */
import { configWithScope, type DeclaredRoute } from "../http/routes.ts";

/** Routes by owner, with the full uids of their handlers. */
export function routesMap(routes: readonly DeclaredRoute[]) {
  const own = routes.filter(({ info }) => info.type === "content-api");
  return Object.groupBy(
    own.map((route) => {
      const { method, path, handler, info } = route;
      const config = configWithScope(route);
      const owner = info.pluginName === undefined ? `api::${info.apiName}` : `plugin::${info.pluginName}`;
      const isShort = typeof handler === "string" && !handler.includes("::");
      return { method, path, handler: isShort ? `${owner}.${handler}` : handler, config, info };
    }),
    ({ info }) => (info.pluginName === undefined ? `api::${info.apiName}` : `plugin::${info.pluginName}`),
  );
}
