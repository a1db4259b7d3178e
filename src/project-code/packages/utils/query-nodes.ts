/** The forms of query parameters that name attributes, with one interface to read, replace and remove names. */

export interface QueryNode {
  readonly keys: () => readonly string[];
  readonly get: (key: string) => unknown;
  readonly set: (key: string, value: unknown) => void;
  readonly remove: (key: string) => void;
  /** The parameter with all changes. */
  readonly data: () => unknown;
}

export function objectNode(source: Readonly<Record<string, unknown>>): QueryNode {
  let data = source;
  return {
    keys: () => Object.keys(source),
    get: (key) => data[key],
    set: (key, value) => {
      data = { ...data, [key]: value };
    },
    remove: (key) => {
      const { [key]: _, ...rest } = data;
      data = rest;
    },
    data: () => data,
  };
}

/** `author.name:desc`: one key, whose value is the rest of the path. */
export function pathNode(source: string): QueryNode {
  const text = source.trim();
  const [root = ""] = text.split(/[.:]/, 1);
  let data: string | undefined = text;
  return {
    keys: () => (root === "" ? [] : [root]),
    get: (key) => (data !== undefined && key === root && data !== root ? data.slice(root.length + 1) : undefined),
    set: (key, value) => {
      if (key === root) data = value === undefined || value === null ? root : `${root}.${String(value)}`;
    },
    remove: (key) => {
      if (key === root) data = undefined;
    },
    data: () => data,
  };
}

/** A single name. */
export function nameNode(source: string): QueryNode {
  const text = source.trim();
  let data: string | undefined = text;
  return {
    keys: () => [text],
    get: (key) => (key === text ? data : undefined),
    set: () => {},
    remove: (key) => {
      if (key === text) data = undefined;
    },
    data: () => data,
  };
}

/** `*`: one empty key. Setting it replaces the wildcard. */
export function wildcardNode(source: string): QueryNode {
  let data: unknown = source;
  return {
    keys: () => [""],
    get: () => data,
    set: (_, value) => {
      data = value;
    },
    remove: () => {
      data = undefined;
    },
    data: () => data,
  };
}
