/** The parts that Galley uses of packages that bring no types of their own. */

declare module "gifenc" {
  type Palette = number[][];
  type PixelFormat = "rgb565" | "rgb444" | "rgba4444";

  interface FrameOptions {
    readonly palette?: Palette;
    /** Milliseconds. */
    readonly delay?: number;
    /** -1 for none, 0 for ever. */
    readonly repeat?: number;
    readonly dispose?: number;
    readonly transparent?: boolean;
    readonly transparentIndex?: number;
  }

  export interface Encoder {
    writeFrame(indexes: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array;
  }

  export function GIFEncoder(): Encoder;
  export function quantize(
    rgba: Uint8Array,
    colours: number,
    options: { readonly format: PixelFormat; readonly oneBitAlpha?: number },
  ): Palette;
  export function applyPalette(rgba: Uint8Array, palette: Palette, format: PixelFormat): Uint8Array;
}
