/** Pictures of many kinds, made with whole numbers only, so that they are the same everywhere. */
import type { Size } from "../../../src/media/pictures/picture.ts";

export interface TestPicture extends Size {
  readonly rgba: Uint8Array;
}

/** RGBA of one pixel; beyond a byte the rest counts. */
type Paint = (x: number, y: number, random: () => number) => readonly [number, number, number, number];

function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
}

function paint(width: number, height: number, colourAt: Paint): TestPicture {
  const random = createRandom();
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at++) rgba.set(colourAt(at % width, Math.floor(at / width), random), at * 4);
  return { width, height, rgba };
}

/** Up and down between 0 and 255. */
const wave = (at: number): number => Math.abs((at % 511) - 255);

const gradient: Paint = (x, y) => [wave(x), wave(y), wave(x + y), 255];
const noise: Paint = (_x, _y, random) => [random(), random(), random(), 255];
const photo: Paint = (x, y, random) => [
  (wave(x + y) * 7 + (random() & 31) * 8) >> 3,
  (wave(x * 2) * 3 + wave(y) * 3 + (random() & 31) * 8) >> 3,
  (wave(y * 3) * 6 + wave(x) + (random() & 15) * 8) >> 3,
  255,
];
const fewColours =
  (count: number): Paint =>
  (x, y) => {
    const index = ((x >> 2) + (y >> 2) * 31) % count;
    return [index * 37, index * 91 + (index >> 3), index * 53, 255];
  };

export const testPictures: Readonly<Record<string, () => TestPicture>> = {
  "one pixel": () => paint(1, 1, () => [10, 200, 30, 255]),
  "one pixel that nobody sees": () => paint(1, 1, () => [10, 200, 30, 0]),
  "one colour": () => paint(100, 60, () => [255, 255, 255, 255]),
  "one row": () => paint(500, 1, gradient),
  "one column": () => paint(1, 500, gradient),
  "too narrow for maps": () => paint(3, 200, photo),
  "too small to blur": () => paint(6, 6, noise),
  "just large enough to blur": () => paint(7, 7, noise),
  wide: () => paint(3000, 5, photo),
  tall: () => paint(5, 700, photo),
  gradient: () => paint(256, 200, gradient),
  noise: () => paint(150, 100, noise),
  photo: () => paint(200, 150, photo),
  "two colours": () => paint(90, 70, fewColours(2)),
  "16 colours": () => paint(90, 70, fewColours(16)),
  "17 colours": () => paint(90, 70, fewColours(17)),
  "256 colours": () => paint(150, 120, fewColours(256)),
  "300 colours": () => paint(150, 120, fewColours(300)),
  "alpha in steps": () => paint(256, 40, (x) => [200, 30, 60, x]),
  "alpha over a gradient": () => paint(120, 120, (x, y) => [wave(x * 2), wave(y * 2), 90, wave(x + y)]),
  "alpha over noise": () => paint(120, 90, (_x, _y, random) => [random(), random(), random(), random()]),
  "hidden colours": () => paint(80, 60, (x, y, random) => [random(), random(), y, x < 40 ? 0 : 255]),
  "nearly opaque": () => paint(80, 60, (x, y) => [x * 3, y * 4, 200, 254 + ((x + y) & 1)]),
  "nearly invisible": () => paint(80, 60, (x, y) => [x * 3, y * 4, 200, (x + y) & 3]),
  lines: () => paint(120, 90, (x, y) => (x % 9 === 0 || y % 7 === 0 ? [20, 20, 40, 255] : [250, 250, 240, 255])),
  "text on white": () =>
    paint(200, 120, (x, y) => ((x * 7 + y * 3) % 11 < 3 ? [60, 60, x, 255] : [255, 255, 255, 255])),
  // more than 2 ** 22 pixels: of those only one row is kept
  huge: () => paint(2100, 2000, (x, y) => [x >> 5, y >> 4, 90, 255]),
};
