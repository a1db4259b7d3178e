/** The requests to which a built-in middleware of `config/middlewares` responds itself, so that later ones are not called. */
import type { HttpTools } from "../runtime.ts";
import type { Context } from "./koa.ts";

export const answeredBy: Readonly<Record<string, (ctx: Context, tools: HttpTools) => boolean>> = {
  cors: ({ req }, { answersPreflight }) => answersPreflight(req.original),
  favicon: ({ path }) => path === "/favicon.ico",
};
