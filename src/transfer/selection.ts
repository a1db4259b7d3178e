/** Which content a transfer includes, by the names that `strapi export`, `import` and `transfer` use. Schemas are always included. */
import { FILE, FOLDER } from "../engine/schema/builtin/index.ts";
import type { LinkEnd, LinkRow } from "./archive/shapes.ts";

export type SelectableStage = "entities" | "links" | "assets" | "configuration";

/** Values of `--only`. */
export const dataKinds = {
  content: { stages: ["entities", "links"], types: [] },
  files: { stages: ["assets"], types: [] },
  config: { stages: ["configuration"], types: [] },
} as const satisfies Record<string, ExcludableKind>;

/** Values of `--exclude`. */
export const excludableKinds = {
  ...dataKinds,
  "media-library": { stages: ["assets"], types: [FILE, FOLDER] },
} as const satisfies Record<string, ExcludableKind>;

interface ExcludableKind {
  readonly stages: readonly SelectableStage[];
  readonly types: readonly string[];
}

export interface SelectionOptions {
  /** By default all. */
  readonly only?: readonly (keyof typeof dataKinds)[] | undefined;
  readonly exclude?: readonly (keyof typeof excludableKinds)[] | undefined;
  /** Uids of content-types; by default all. */
  readonly onlyTypes?: readonly string[] | undefined;
  readonly excludeTypes?: readonly string[] | undefined;
}

/** The ids of components by uid. */
export type ComponentIds = Map<string, Set<number>>;

/** Components have uids without this. */
const isContentType = (uid: string): boolean => uid.includes("::");

export class Selection {
  readonly #options: SelectionOptions;
  readonly #stages: ReadonlySet<SelectableStage>;
  readonly #onlyTypes: ReadonlySet<string> | undefined;
  readonly #excludedTypes: ReadonlySet<string>;
  /** Whether some content-types are left out. */
  readonly filtersTypes: boolean;

  constructor(options: SelectionOptions) {
    const { only, exclude = [], onlyTypes, excludeTypes = [] } = options;
    this.#options = options;
    const excluded = exclude.map((kind) => excludableKinds[kind]);
    this.#onlyTypes = onlyTypes && new Set(onlyTypes);
    this.#excludedTypes = new Set([...excludeTypes, ...excluded.flatMap(({ types }) => types)]);
    this.filtersTypes = onlyTypes !== undefined || this.#excludedTypes.size > 0;
    const kinds = only ?? (Object.keys(dataKinds) as (keyof typeof dataKinds)[]);
    const stages = new Set<SelectableStage>(kinds.flatMap((kind) => dataKinds[kind].stages));
    for (const stage of excluded.flatMap((kind) => kind.stages)) stages.delete(stage);
    // without the media library its files are left out, too, unless they are asked for
    const hasNoMedia = excludableKinds["media-library"].types.every((uid) => !this.#allowsType(uid));
    if (stages.has("entities") && hasNoMedia && !only?.includes("files")) stages.delete("assets");
    this.#stages = stages;
  }

  withoutSettings(): Selection {
    return new Selection({ ...this.#options, exclude: [...(this.#options.exclude ?? []), "config"] });
  }

  /** Whether nothing is left out. */
  get isEverything(): boolean {
    return (
      !this.filtersTypes && Object.values(dataKinds).every(({ stages }) => stages.every((stage) => this.has(stage)))
    );
  }

  has(stage: SelectableStage): boolean {
    return this.#stages.has(stage);
  }

  #allowsType(uid: string): boolean {
    return !this.#excludedTypes.has(uid) && (this.#onlyTypes?.has(uid) ?? true);
  }

  /** Whether rows of a content-type are included. */
  hasType(uid: string): boolean {
    return this.has("entities") && this.#allowsType(uid);
  }

  /** Whether both ends of a link are included. `components`: those of included rows; undefined: they are not known yet. */
  hasLink({ left, right }: LinkRow, components: ComponentIds | undefined): boolean {
    const hasEnd = ({ type, ref }: LinkEnd): boolean => {
      if (isContentType(type)) return this.hasType(type);
      return components === undefined || components.get(type)?.has(ref as number) === true;
    };
    return !this.filtersTypes || [left, right].every(hasEnd);
  }

  /** The uids of content-types that the options name. */
  get namedTypes(): { readonly only: readonly string[]; readonly excluded: readonly string[] } {
    return { only: [...(this.#onlyTypes ?? [])], excluded: [...this.#excludedTypes] };
  }
}

export const EVERYTHING = new Selection({});
