/** Files of the user's disk, which a button of one's own asks for. */
import type { ComponentChild } from "preact";
import { useRef } from "preact/hooks";

interface FileInputOptions {
  readonly label: string;
  readonly isMultiple?: boolean;
  readonly accept?: string | undefined;
  /** Called with those that were chosen; the same ones can be chosen again. */
  readonly onFiles: (files: readonly File[]) => void;
}

/** `input` is to be rendered, and is not seen. */
export function useFileInput(options: FileInputOptions): readonly [input: ComponentChild, choose: () => void] {
  const { label, isMultiple, accept, onFiles } = options;
  const element = useRef<HTMLInputElement>(null);
  const input = (
    <input
      ref={element}
      type="file"
      multiple={isMultiple}
      class="visually-hidden"
      tabIndex={-1}
      accept={accept}
      aria-label={label}
      onChange={({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        currentTarget.value = "";
        onFiles(files);
      }}
    />
  );
  return [input, () => element.current?.click()];
}
