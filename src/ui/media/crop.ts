/** Cuts and turns images in the browser. */
import type { Point } from "./point.ts";

export interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

/** Of the image, clockwise. */
export type Turn = 0 | 90 | 180 | 270;

/** Formats that browsers write, with what they call them. */
const WRITTEN: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp"]);
const QUALITY = 0.92;

export const canCrop = (mime: string): boolean => WRITTEN.has(mime);

/** Throws where the image cannot be read, as from another server that does not allow it. */
export async function loadImage(src: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = "anonymous";
  image.src = src;
  try {
    await image.decode();
  } catch (cause) {
    throw new Error("The image cannot be read", { cause });
  }
  return image;
}

/** Its width and height after a turn. */
export const turnedSize = ({ naturalWidth, naturalHeight }: HTMLImageElement, turn: Turn): Area => {
  const isLying = turn % 180 === 90;
  return { x: 0, y: 0, width: isLying ? naturalHeight : naturalWidth, height: isLying ? naturalWidth : naturalHeight };
};

/** Within `bounds`, at least a pixel, in whole pixels. */
export function fitted(area: Area, bounds: Area): Area {
  const [x, y] = [Math.round(area.x), Math.round(area.y)];
  const left = Math.max(0, Math.min(x, bounds.width - 1));
  const top = Math.max(0, Math.min(y, bounds.height - 1));
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.min(Math.round(area.width), bounds.width - left)),
    height: Math.max(1, Math.min(Math.round(area.height), bounds.height - top)),
  };
}

/** Draws an area of the turned image, `scale` times as large. */
export function draw(canvas: HTMLCanvasElement, image: HTMLImageElement, turn: Turn, area: Area, scale = 1): void {
  canvas.width = Math.max(1, Math.round(area.width * scale));
  canvas.height = Math.max(1, Math.round(area.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot draw images");
  const { width, height } = turnedSize(image, turn);
  context.scale(scale, scale);
  context.translate(width / 2 - area.x, height / 2 - area.y);
  context.rotate((turn * Math.PI) / 180);
  context.drawImage(image, -image.naturalWidth / 2, -image.naturalHeight / 2);
}

/** Throws for images that are larger than the browser can write. */
export async function cropped(image: HTMLImageElement, turn: Turn, area: Area, mime: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  draw(canvas, image, turn, area);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, mime, QUALITY));
  if (!blob) throw new Error("The image is too large for this browser");
  return blob;
}

/** The focal point of the part, in percent, or null if it is outside. */
export function movedPoint(point: Point | null, turn: Turn, area: Area, { width, height }: Area): Point | null {
  if (!point) return null;
  const { x, y } = {
    0: point,
    90: { x: 100 - point.y, y: point.x },
    180: { x: 100 - point.x, y: 100 - point.y },
    270: { x: point.y, y: 100 - point.x },
  }[turn];
  const percent = (value: number, total: number, from: number, part: number): number =>
    Math.round((((value / 100) * total - from) / part) * 1000) / 10;
  const moved = { x: percent(x, width, area.x, area.width), y: percent(y, height, area.y, area.height) };
  return [moved.x, moved.y].every((value) => value >= 0 && value <= 100) ? moved : null;
}
