/** Composes middlewares, as Koa does: each may call the next one once. */
import type { Context } from "./context.ts";

export type Next = () => Promise<unknown>;
/** A middleware with any kind of context. */
export type Link<C> = (ctx: C, next: Next) => unknown;
export type Middleware = Link<Context>;

/** Rejects with errors of the links, also synchronous ones. */
export function compose<C>(links: readonly Link<C>[]): (ctx: C, last: Next) => Promise<unknown> {
  return (ctx, last) => {
    let lastIndex = -1;
    const dispatch = (index: number): Promise<unknown> => {
      if (index <= lastIndex) return Promise.reject(new Error("next() called multiple times"));
      lastIndex = index;
      const link = links[index];
      try {
        return Promise.resolve(link ? link(ctx, () => dispatch(index + 1)) : last());
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return dispatch(0);
  };
}
