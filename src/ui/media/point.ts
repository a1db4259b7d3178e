/** Points of an image, which keys move. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

const STEPS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const FAST = 10;

/** By how much an arrow key moves a point: ten times as much with Shift. Undefined for other keys, which are left alone. */
export function arrowStep(event: KeyboardEvent): Point | undefined {
  const step = STEPS[event.key];
  if (!step) return undefined;
  event.preventDefault();
  const by = event.shiftKey ? FAST : 1;
  return { x: step.x * by, y: step.y * by };
}
