/** Fields whose editors are loaded when a document with one of them is opened. */
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import type { Editor, Mount } from "../../editors/editor.ts";
import { uploadFiles } from "../../media/media-files.ts";
import { pickFiles } from "../../media/pick-files.tsx";
import { type Attribute, findComponent } from "../../model.ts";
import { showProblem } from "../../widgets/toasts.tsx";
import { findFieldType } from "../form/field-types.ts";
import { editableAttributes, toEntries, type Values } from "../form/values.ts";
import type { FieldProps } from "./field-props.ts";

interface EditorModule {
  readonly mount: Mount<unknown>;
}

/** A loader that calls back at once when the module has been loaded: the room of the editor is known in the first frame. */
export function loadOnce(load: () => Promise<EditorModule>) {
  let loaded: EditorModule | undefined;
  return async (use: (module: EditorModule) => void = () => undefined): Promise<void> => {
    if (!loaded) loaded = await load();
    use(loaded);
  };
}

type LoadEditor = ReturnType<typeof loadOnce>;

export const editorField = (load: LoadEditor) =>
  function EditorField({ node, lang, isReadOnly, describedBy }: FieldProps) {
    const element = useRef<HTMLDivElement>(null);
    const editor = useRef<Editor<unknown>>(undefined);
    const [failure, setFailure] = useState<string>();
    useLayoutEffect(() => {
      let isUnmounted = false;
      load(({ mount }) => {
        if (isUnmounted || !element.current) return;
        editor.current = mount(element.current, {
          value: node.value.peek(),
          readOnly: isReadOnly,
          invalid: node.problem.peek() !== undefined,
          labelledBy: `${node.id}-label`,
          ...(lang === undefined ? {} : { lang }),
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
      }).catch((error: unknown) => setFailure(errorMessage(error)));
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

const editors = {
  blocks: loadOnce(() => import("../../editors/blocks/blocks.tsx")),
  richtext: loadOnce(() => import("../../editors/markdown/markdown.tsx")),
  json: loadOnce(() => import("../../editors/json/json.tsx")),
} as const;

export const BlocksField = editorField(editors.blocks);
export const MarkdownField = editorField(editors.richtext);
export const JsonField = editorField(editors.json);

/** A form that waits longer is shown without its editors. */
const MAX_WAIT_MS = 1_000;

/** The editors of attributes, and of components among the values. */
function* editorsOf(attributes: Readonly<Record<string, Attribute>>, values: Values): Generator<LoadEditor> {
  for (const [name, attribute] of editableAttributes(attributes)) {
    const type = findFieldType(attribute);
    if (Object.hasOwn(editors, type)) yield editors[type as keyof typeof editors];
    if (type !== "component" && type !== "dynamiczone") continue;
    for (const { component, values: inner } of toEntries(values[name]))
      yield* editorsOf(findComponent(component)?.attributes ?? {}, inner);
  }
}

/** Resolves when the editors of a form can be shown. One that cannot be loaded is reported in its field. */
export async function loadEditors(attributes: Readonly<Record<string, Attribute>>, values: Values = {}): Promise<void> {
  const loads = [...new Set(editorsOf(attributes, values))].map((load) => load());
  await Promise.race([Promise.allSettled(loads), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}
