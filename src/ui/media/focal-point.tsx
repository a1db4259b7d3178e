/** The point of an image that stays visible when it is cropped, in percent of its width and height. */
import { useRef } from "preact/hooks";
import { Button } from "../widgets/button.tsx";
import { arrowStep, type Point } from "./point.ts";

const CENTRE: Point = { x: 50, y: 50 };
const clampPercent = (value: number): number => Math.round(Math.min(100, Math.max(0, value)) * 10) / 10;

interface FocalPointProps {
  readonly src: string;
  /** Null: none was chosen. */
  readonly point: Point | null;
  readonly onChange: (point: Point | null) => void;
}

export function FocalPoint({ src, point, onChange }: FocalPointProps) {
  const image = useRef<HTMLImageElement>(null);
  const { x, y } = point ?? CENTRE;
  const choose = ({ clientX, clientY }: PointerEvent): void => {
    const box = image.current?.getBoundingClientRect();
    if (!box || box.width === 0 || box.height === 0) return;
    onChange({
      x: clampPercent(((clientX - box.left) / box.width) * 100),
      y: clampPercent(((clientY - box.top) / box.height) * 100),
    });
  };
  return (
    <div class="focal">
      <div class="focal-image">
        <img
          ref={image}
          src={src}
          alt=""
          draggable={false}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            choose(event);
          }}
          onPointerMove={(event) => {
            if (event.currentTarget.hasPointerCapture(event.pointerId)) choose(event);
          }}
        />
        <button
          type="button"
          class={point ? "focal-mark focal-mark-set" : "focal-mark"}
          aria-label={`Focal point, ${x} percent from the left, ${y} percent from the top: arrow keys`}
          style={{ left: `${x}%`, top: `${y}%` }}
          onKeyDown={(event) => {
            const step = arrowStep(event);
            if (step) onChange({ x: clampPercent(x + step.x), y: clampPercent(y + step.y) });
          }}
        />
      </div>
      <p class="hint">
        {point
          ? `Focal point: ${x} % from the left, ${y} % from the top.`
          : "Click the most important point of the image."}{" "}
        {point ? <Button kind="link" text="Remove" onClick={() => onChange(null)} /> : null}
      </p>
    </div>
  );
}
