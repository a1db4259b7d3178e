/** The forms in which parameters name attributes, as members that can be read, replaced and removed. */

export interface Members {
  readonly keys: () => readonly string[];
  readonly get: (key: string) => unknown;
  readonly set: (key: string, value: unknown) => void;
  readonly remove: (key: string) => void;
  /** What is left. */
  readonly data: () => unknown;
}

export function ofObject(given: Readonly<Record<string, unknown>>): Members {
  let data = given;
  return {
    keys: () => Object.keys(given),
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

/** `author.name:desc`: one member, whose value is what follows its name. */
export function ofPath(given: string): Members {
  const text = given.trim();
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

/** A name alone. */
export function ofText(given: string): Members {
  const text = given.trim();
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

/** `*`: whatever is set takes its place. */
export function ofWildcard(given: string): Members {
  let data: unknown = given;
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
