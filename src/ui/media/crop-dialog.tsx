/** Cuts an image out of a larger one, and turns it. The result replaces the file, or is a new one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useRequest } from "../api/use-request.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { attempt } from "../widgets/toasts.tsx";
import { type Area, cropped, draw, fitted, loadImage, movedPoint, type Turn, turnedSize } from "./crop.ts";
import type { MediaFile } from "./media-files.ts";
import { arrowStep, type Point } from "./point.ts";
import { addUploads, replaceFile } from "./uploads.ts";

/** Of the drawing, in its longer side. */
const SHOWN_PIXELS = 1_200;

/** Corners and the middle: what of the area follows a handle, in each direction. */
const handles = {
  "Top left corner": { x: 1, y: 1, width: -1, height: -1 },
  "Top right corner": { x: 0, y: 1, width: 1, height: -1 },
  "Bottom left corner": { x: 1, y: 0, width: -1, height: 1 },
  "Bottom right corner": { x: 0, y: 0, width: 1, height: 1 },
  "Whole area": { x: 1, y: 1, width: 0, height: 0 },
} as const satisfies Record<string, Area>;
type Handle = keyof typeof handles;

/** The area with a handle elsewhere. The opposite corner stays, and nothing leaves the image. */
function dragged(area: Area, handle: Handle, x: number, y: number, bounds: Area): Area {
  const by = handles[handle];
  const limit = (value: number, start: number, size: number, total: number, moves: number, grows: number): number => {
    const least = moves ? -start : 1 - size;
    const most = moves && grows ? size - 1 : total - start - size;
    return Math.max(least, Math.min(Math.round(value), most));
  };
  const dx = limit(x, area.x, area.width, bounds.width, by.x, by.width);
  const dy = limit(y, area.y, area.height, bounds.height, by.y, by.height);
  return {
    x: area.x + by.x * dx,
    y: area.y + by.y * dy,
    width: area.width + by.width * dx,
    height: area.height + by.height * dy,
  };
}

/** Before the image is there. */
const EMPTY: Area = { x: 0, y: 0, width: 1, height: 1 };

const numbers = { x: "Left", y: "Top", width: "Width", height: "Height" } as const satisfies Record<keyof Area, string>;

interface AreaProps {
  readonly area: Area;
  /** Of the turned image. */
  readonly bounds: Area;
  readonly onChange: (area: Area) => void;
}

interface ImageProps extends AreaProps {
  readonly image: HTMLImageElement | undefined;
  readonly turn: Turn;
}

/** The image, with handles on the area that is kept. */
function CropImage({ image, turn, area, bounds, onChange }: ImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const grip = useRef<Point & { readonly area: Area }>(undefined);
  useEffect(() => {
    if (image && canvas.current)
      draw(canvas.current, image, turn, bounds, Math.min(1, SHOWN_PIXELS / Math.max(bounds.width, bounds.height)));
  }, [image, turn]);
  const follow = (handle: Handle, { clientX, clientY }: PointerEvent): void => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box || !grip.current) return;
    const scale = bounds.width / box.width;
    const { x, y, area: before } = grip.current;
    onChange(dragged(before, handle, (clientX - x) * scale, (clientY - y) * scale, bounds));
  };
  const part = (value: number, total: number): string => `${(value / total) * 100}%`;
  const style = {
    left: part(area.x, bounds.width),
    top: part(area.y, bounds.height),
    width: part(area.width, bounds.width),
    height: part(area.height, bounds.height),
  };
  return (
    <div class="crop-image">
      <canvas ref={canvas} />
      <div class="crop-area" style={style}>
        {(Object.keys(handles) as Handle[]).map((handle) => (
          <button
            key={handle}
            type="button"
            class={`crop-handle crop-${handle.toLowerCase().replaceAll(" ", "-")}`}
            aria-label={`${handle}: arrow keys`}
            onKeyDown={(event) => {
              const step = arrowStep(event);
              if (step) onChange(dragged(area, handle, step.x, step.y, bounds));
            }}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              grip.current = { x: event.clientX, y: event.clientY, area };
            }}
            onPointerMove={(event) => {
              if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(handle, event);
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** The area in pixels. */
function CropNumbers({ area, bounds, onChange }: AreaProps) {
  /** What is being typed: it stays as it is until the field is left. */
  const [typed, setTyped] = useState<{ readonly key: keyof Area; readonly text: string }>();
  return (Object.entries(numbers) as [keyof Area, string][]).map(([key, label]) => (
    <label key={key} class="field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        type="number"
        min={key === "x" || key === "y" ? 0 : 1}
        max={bounds[key === "x" || key === "width" ? "width" : "height"]}
        value={typed?.key === key ? typed.text : area[key]}
        onInput={({ currentTarget }) => setTyped({ key, text: currentTarget.value })}
        onBlur={() => setTyped(undefined)}
        onChange={({ currentTarget }) => {
          setTyped(undefined);
          onChange(fitted({ ...area, [key]: Number(currentTarget.value) }, bounds));
        }}
      />
    </label>
  ));
}

/** The same part of the image, once that is turned. */
const turned = ({ x, y, width, height }: Area, bounds: Area, by: 90 | 270): Area =>
  by === 90
    ? { x: bounds.height - y - height, y: x, width: height, height: width }
    : { x: y, y: bounds.width - x - width, width: height, height: width };

interface CropDialogProps {
  readonly file: MediaFile;
  readonly src: string;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

export function CropDialog({ file, src, onChange, onClose }: CropDialogProps) {
  const { data: image, problem } = useRequest(() => loadImage(src), [src]);
  const [turn, setTurn] = useState<Turn>(0);
  const [chosen, setChosen] = useState<Area>();
  const [isBusy, setIsBusy] = useState(false);
  const bounds = image ? turnedSize(image, turn) : EMPTY;
  const area = chosen ?? bounds;
  const rotate = (by: 90 | 270): void => {
    setTurn(((turn + by) % 360) as Turn);
    setChosen(turned(area, bounds, by));
  };
  const save = async (isCopy: boolean): Promise<void> => {
    if (!image || isBusy) return;
    setIsBusy(true);
    const isSaved = await attempt(async () => {
      const made = new File([await cropped(image, turn, area, file.mime)], file.name, { type: file.mime });
      const point = movedPoint((file.focalPoint as Point | null | undefined) ?? null, turn, area, bounds);
      if (isCopy) addUploads([made], (file.folder as { readonly id: number } | null | undefined)?.id ?? null, onChange);
      else replaceFile(file, made, onChange, point);
    });
    if (isSaved) onClose();
    else setIsBusy(false);
  };
  const isWhole = turn === 0 && area.width === bounds.width && area.height === bounds.height;
  const cannotSave = !image || isBusy || isWhole;
  return (
    <Dialog
      title={`Crop ${file.name}`}
      shape="wide"
      onClose={onClose}
      actions={
        <>
          <Button text="Save as a copy" disabled={cannotSave} onClick={() => save(true)} />
          <Button kind="primary" text="Replace the image" disabled={cannotSave} onClick={() => save(false)} />
        </>
      }
    >
      <Alert text={problem} />
      <div class="crop">
        <CropImage image={image} turn={turn} area={area} bounds={bounds} onChange={setChosen} />
        <div class="crop-fields">
          <CropNumbers area={area} bounds={bounds} onChange={setChosen} />
          <Button text="Rotate left" disabled={!image} onClick={() => rotate(270)} />
          <Button text="Rotate right" disabled={!image} onClick={() => rotate(90)} />
        </div>
        <p class="hint">
          {area.width} × {area.height} pixels
        </p>
      </div>
    </Dialog>
  );
}
