/** Fields whose editors are loaded when one of them is first shown. */
import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import type { Editor, Mount } from "../../editors/editor.ts";
import { uploadFiles } from "../../media/media-files.ts";
import { pickFiles } from "../../media/pick-files.tsx";
import { showProblem } from "../../widgets/toasts.tsx";
import type { FieldProps } from "./field-props.ts";

export const editorField = (load: () => Promise<{ readonly mount: Mount<unknown> }>) =>
  function EditorField({ node, isReadOnly, describedBy }: FieldProps) {
    const element = useRef<HTMLDivElement>(null);
    const editor = useRef<Editor<unknown>>(undefined);
    const [failure, setFailure] = useState<string>();
    useEffect(() => {
      let isUnmounted = false;
      load().then(
        ({ mount }) => {
          if (isUnmounted || !element.current) return;
          editor.current = mount(element.current, {
            value: node.value.peek(),
            readOnly: isReadOnly,
            invalid: node.problem.peek() !== undefined,
            labelledBy: `${node.id}-label`,
            describedBy,
            required: node.attribute.required === true,
            onChange: () => node.defer(() => editor.current?.read()),
            onProblem: (problem) => {
              node.problem.value = problem;
            },
            pickImages: () => pickFiles({ isMultiple: true, allowed: ["images"] }),
            uploadImages: uploadFiles,
            onError: (message) => showProblem(new Error(message)),
          });
        },
        (error: unknown) => setFailure(errorMessage(error)),
      );
      return () => {
        isUnmounted = true;
        node.settle();
        editor.current?.destroy();
        editor.current = undefined;
      };
    }, [node, isReadOnly]);
    // not rendered with each key press: the editor already shows the new value
    useEffect(
      () =>
        effect(() => {
          const state = { value: node.value.value, invalid: node.problem.value !== undefined };
          editor.current?.update(state);
        }),
      [node],
    );
    return (
      <>
        <div ref={element} class="editor-place" />
        {failure ? <p class="field-problem">This editor could not be loaded: {failure}</p> : null}
      </>
    );
  };

export const BlocksField = editorField(() => import("../../editors/blocks/blocks.tsx"));
export const MarkdownField = editorField(() => import("../../editors/markdown/markdown.tsx"));
export const JsonField = editorField(() => import("../../editors/json/json.tsx"));
