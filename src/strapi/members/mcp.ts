/** `strapi.ai.mcp`: collects the tools, prompts and resources that code registers. The server serves them. */

/** Names of tools that Strapi registers before code does. */
const RESERVED: ReadonlySet<string> = new Set([
  "log",
  ...["media_list_assets", "media_get_asset", "media_list_folders", "media_update_asset", "media_move_assets"],
  ...["media_delete_assets", "media_create_folder", "media_rename_folder", "media_move_folder", "media_delete_folder"],
]);

type Definition = Readonly<Record<string, unknown>> & { readonly name: string };
type McpKind = "tool" | "prompt" | "resource";

/** As Strapi, refuses names that are taken, and definitions that say neither who may use them nor that they are for development. */
function checkDefinition(kind: McpKind, definition: Definition, defined: ReadonlyMap<string, Definition>): void {
  const subject = `[MCP] ${kind} with name "${definition.name}"`;
  const isTaken = defined.has(definition.name) || (kind === "tool" && RESERVED.has(definition.name));
  if (isTaken) throw new Error(`${subject} is already registered. Names must be unique.`);
  if (definition.devModeOnly === true) return;
  const { policies = [] } = (definition.auth ?? {}) as { readonly policies?: readonly { readonly action?: unknown }[] };
  if (policies.length === 0 || policies.some(({ action }) => action === ""))
    throw new Error(`${subject} must declare auth policies or be devModeOnly.`);
}

export class McpRegistry {
  readonly #isEnabled: () => boolean;
  readonly #defined: Readonly<Record<McpKind, Map<string, Definition>>> = {
    tool: new Map(),
    prompt: new Map(),
    resource: new Map(),
  };
  #isRunning = false;

  constructor(isEnabled: () => boolean) {
    this.#isEnabled = isEnabled;
  }

  list(kind: McpKind): readonly Definition[] {
    return [...this.#defined[kind].values()];
  }

  /** Called once code has started: from now on, what is defined stays. */
  start(): void {
    this.#isRunning = this.#isEnabled();
  }

  /** `strapi.ai.mcp` */
  get members() {
    const define = (kind: McpKind) => (definition: Definition) => {
      if (this.#isRunning) throw new Error(`[MCP] Cannot register ${kind}s after the MCP server has started.`);
      checkDefinition(kind, definition, this.#defined[kind]);
      this.#defined[kind].set(definition.name, definition);
    };
    return {
      isEnabled: () => this.#isEnabled(),
      isRunning: () => this.#isRunning,
      registerTool: define("tool"),
      registerPrompt: define("prompt"),
      registerResource: define("resource"),
      // the server starts and stops it
      start: async () => {},
      stop: async () => {},
    };
  }
}
