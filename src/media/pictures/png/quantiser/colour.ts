/**
 * Colours as the quantiser reckons with them: alpha, red, green and blue as 32-bit floats one after the other, brightened
 * by a curve and multiplied with alpha. Each operation rounds to 32 bits, since one bit of difference moves pixels.
 */
const { fround } = Math;

export interface Colour {
  readonly a: number;
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** Floats of one colour. */
export const COLOUR = 4;

const INNER_GAMMA = 0.5499;
const OUTER_GAMMA = 0.45455;
const TO_BYTES = fround(fround(OUTER_GAMMA) / INNER_GAMMA);
const BELOW_VISIBLE = 1 / 256;
/** By this the reference marks what nobody can see. */
const INVISIBLE = [76, 105, 113, 0] as const;

const brightness = Float32Array.from({ length: 256 }, (_, byte) => (byte / 255) ** (INNER_GAMMA / OUTER_GAMMA));
const opacity = Float32Array.from({ length: 256 }, (_, byte) => byte / 255);

/** `count` pixels of RGBA from the pixel `first` on. */
export function toColours(rgba: Uint8Array, first: number, count: number, colours: Float32Array): void {
  const end = (first + count) * 4;
  for (let from = first * 4, at = 0; from < end; from += 4, at += COLOUR) {
    const alpha = opacity[rgba[from + 3] as number] as number;
    colours[at] = alpha;
    colours[at + 1] = (brightness[rgba[from] as number] as number) * alpha;
    colours[at + 2] = (brightness[rgba[from + 1] as number] as number) * alpha;
    colours[at + 3] = (brightness[rgba[from + 2] as number] as number) * alpha;
  }
}

const channelToByte = (channel: number, alpha: number): number =>
  Math.min(fround(fround(fround(channel / alpha) ** TO_BYTES) * 256), 255);

/** As RGBA. */
export function toBytes(colours: Float32Array): Uint8Array {
  const rgba = new Uint8Array(colours.length);
  for (let at = 0; at < colours.length; at += COLOUR) {
    const alpha = colours[at] as number;
    if (alpha < BELOW_VISIBLE) {
      rgba.set(INVISIBLE, at);
      continue;
    }
    for (let channel = 0; channel < 3; channel++) {
      rgba[at + channel] = channelToByte(colours[at + channel + 1] as number, alpha);
    }
    rgba[at + 3] = Math.min(alpha * 256, 255);
  }
  return rgba;
}

/** How far apart two colours are, on black and on white together. */
export function difference(colours: Float32Array, at: number, a: number, r: number, g: number, b: number): number {
  // they are rounded already: this tells the compiler
  const alpha = fround((colours[at] as number) - fround(a));
  const red = fround(fround(r) - (colours[at + 1] as number));
  const green = fround(fround(g) - (colours[at + 2] as number));
  const blue = fround(fround(b) - (colours[at + 3] as number));
  const x = fround(red + alpha);
  const y = fround(green + alpha);
  const z = fround(blue + alpha);
  const inRed = fround(fround(x * x) + fround(red * red));
  const inGreen = fround(fround(y * y) + fround(green * green));
  const inBlue = fround(fround(z * z) + fround(blue * blue));
  // the order in which the reference's vector instructions add
  return fround(inGreen + fround(inRed + inBlue));
}

const leastOfChannel = (onBlack: number, alpha: number): number => {
  const onWhite = onBlack + alpha;
  return Math.min(onBlack * onBlack, onWhite * onWhite) * 2;
};

/** The least that two colours can be apart, whatever is behind them. */
export function leastDifference(x: Float32Array, xAt: number, y: Float32Array, yAt: number): number {
  const alpha = fround((y[yAt] as number) - (x[xAt] as number));
  const red = leastOfChannel((x[xAt + 1] as number) - (y[yAt + 1] as number), alpha);
  const green = leastOfChannel((x[xAt + 2] as number) - (y[yAt + 2] as number), alpha);
  const blue = leastOfChannel((x[xAt + 3] as number) - (y[yAt + 3] as number), alpha);
  return fround(red + green + blue);
}
