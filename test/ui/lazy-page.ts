/** Runs in a browser: a view is left while its part is loaded, and shown again before that. */
import { h, render } from "preact";
import { lazy } from "../../src/ui/lazy.tsx";

const frame = (): Promise<number> => new Promise((drawn) => requestAnimationFrame(drawn));

async function showAgain(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<() => string>();
  const Part = lazy(() => promise);
  render(h(Part, {}), document.body);
  // its effects have run
  for (let i = 0; i < 3; i++) await frame();
  render(h("p", {}, "another view"), document.body);
  render(h(Part, {}), document.body);
  // those of this one run after the next frame
  resolve(() => "the part");
  for (let i = 0; i < 5; i++) await frame();
  return document.body.textContent ?? "";
}

Object.assign(globalThis, { showAgain });
