/** A page with one editor, which the tests of editors drive. Built and served by `harness.ts`. */
import type { Editor, EditorOptions, Mount } from "../../../src/ui/editors/editor.ts";

const modules: Readonly<Record<string, () => Promise<{ readonly mount: Mount<unknown> }>>> = {
  blocks: () => import("../../../src/ui/editors/blocks/blocks.tsx"),
  markdown: () => import("../../../src/ui/editors/markdown/markdown.tsx"),
  json: () => import("../../../src/ui/editors/json/json.tsx"),
};

export interface Harness {
  readonly values: unknown[];
  readonly problems: unknown[];
  readonly errors: string[];
  editor: Editor<unknown>;
  open(name: string, options: Partial<EditorOptions<unknown>>): Promise<void>;
}

const files = [
  {
    id: 7,
    name: "ferry.png",
    alternativeText: null,
    caption: null,
    url: "/picture.png",
    width: 16,
    height: 16,
    hash: "ferry",
    ext: ".png",
    mime: "image/png",
    size: 0.1,
    provider: "local",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  },
];

const harness: Harness = {
  values: [],
  problems: [],
  errors: [],
  editor: undefined as never,
  async open(name, options) {
    const element = document.getElementById("editor")!;
    this.editor?.destroy();
    this.values.length = 0;
    this.problems.length = 0;
    this.errors.length = 0;
    const { mount } = await modules[name]!();
    this.editor = mount(element, {
      value: null,
      labelledBy: "label",
      pickImages: async () => files,
      uploadImages: async (given) => given.map(({ name }) => ({ ...files[0], name })),
      ...options,
      onChange: () => void this.values.push(this.editor.read()),
      onProblem: (problem) => void this.problems.push(problem),
      onError: (message) => this.errors.push(message),
    });
  },
};

Object.assign(window, { harness });
