/** Koa's chain of middlewares: each calls the next one, once at most. */
import type { Context } from "./context.ts";

export type Next = () => Promise<unknown>;
/** Takes the context; links of the server's own take more. */
export type Link<C> = (ctx: C, next: Next) => unknown;
export type Middleware = Link<Context>;

/** What a link throws is a rejection. */
export function compose<C>(links: readonly Link<C>[]): (ctx: C, last: Next) => Promise<unknown> {
  return (ctx, last) => {
    let called = -1;
    const dispatch = (at: number): Promise<unknown> => {
      if (at <= called) return Promise.reject(new Error("next() called multiple times"));
      called = at;
      const link = links[at];
      try {
        return Promise.resolve(link ? link(ctx, () => dispatch(at + 1)) : last());
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return dispatch(0);
  };
}
