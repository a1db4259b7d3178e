/** Koa's chain of middlewares: each calls the next one, once at most. */
import type { Context } from "./context.ts";

export type Next = () => Promise<unknown>;
export type Middleware = (ctx: Context, next: Next) => unknown;

export const compose =
  (middlewares: readonly Middleware[]): Middleware =>
  (ctx, last) => {
    let called = -1;
    const dispatch = async (at: number): Promise<unknown> => {
      if (at <= called) throw new Error("next() called multiple times");
      called = at;
      const middleware = middlewares[at];
      return middleware ? middleware(ctx, () => dispatch(at + 1)) : last();
    };
    return dispatch(0);
  };
