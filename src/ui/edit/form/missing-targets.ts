/** What a form links to, and somebody else has deleted meanwhile: the server refuses the whole document, and names no field. */
import { api } from "../../api/client.ts";
import type { MediaFile } from "../../media/media-files.ts";
import { relatedName } from "./related-names.ts";
import type { Group, Leaf, Node } from "./tree.ts";
import type { RelationValue } from "./values.ts";

const MISSING_DOCUMENT = /^Document with id "([^"]+)".* not found$/;
const MISSING_FILES = /relation\(s\) of type plugin::upload\.file associated with this entity do not exist/;

/** What a field says of it; undefined for a field without it. */
type Describe = (leaf: Leaf) => string | undefined;

const goneText = (names: readonly string[]): string =>
  `${names.join(", ")} ${names.length === 1 ? "no longer exists" : "no longer exist"}: remove before saving`;

/** Sets the problem of every such field, and unfolds the entries around it. Returns the first. */
function markFields(group: Group, describe: Describe): Node | undefined {
  let first: Node | undefined;
  for (const node of group.nodes.values()) {
    if (node.kind === "leaf") {
      const text = describe(node);
      if (text === undefined) continue;
      node.problem.value = text;
      first ??= node;
    } else
      for (const entry of node.entries.peek()) {
        const found = markFields(entry, describe);
        if (!found) continue;
        entry.isOpen.value = true;
        first ??= found;
      }
  }
  return first;
}

const readRelation = ({ attribute, value }: Leaf): RelationValue | undefined =>
  attribute.type === "relation" ? (value.peek() as RelationValue) : undefined;

/** A link that is to be removed to a document that is gone is gone, too. Returns whether there was one. */
function forgetRemoved(group: Group, documentId: string): boolean {
  let isFound = false;
  for (const node of group.nodes.values()) {
    if (node.kind === "entries") {
      for (const entry of node.entries.peek()) if (forgetRemoved(entry, documentId)) isFound = true;
      continue;
    }
    const value = readRelation(node);
    const removed = value?.removed.filter((item) => item.documentId !== documentId) ?? [];
    if (!value || removed.length === value.removed.length) continue;
    node.load({ ...value, removed, count: value.count - 1 });
    isFound = true;
  }
  return isFound;
}

function missingDocument(documentId: string): Describe {
  return (leaf) => {
    const value = readRelation(leaf);
    const item = value?.items?.find((one) => one.documentId === documentId);
    return item && value?.placed.includes(documentId) ? goneText([relatedName(leaf.attribute, item)]) : undefined;
  };
}

const readFiles = ({ attribute, value }: Leaf): readonly MediaFile[] =>
  attribute.type === "media" ? (value.peek() as readonly MediaFile[]) : [];

function chosenFiles(group: Group): readonly number[] {
  return [...group.nodes.values()].flatMap((node) =>
    node.kind === "leaf" ? readFiles(node).map(({ id }) => id) : node.entries.peek().flatMap(chosenFiles),
  );
}

async function missingFiles(group: Group): Promise<Describe> {
  const ids = [...new Set(chosenFiles(group))];
  const query = { filters: { id: { $in: ids } }, pageSize: ids.length };
  const { results } = await api.get<{ results: readonly MediaFile[] }>("/upload/files", { query });
  const present = new Set(results.map(({ id }) => id));
  return (leaf) => {
    const gone = readFiles(leaf).filter(({ id }) => !present.has(id));
    return gone.length > 0 ? goneText(gone.map(({ name }) => name)) : undefined;
  };
}

/**
 * By the message of a refusal. `isRepaired`: saving can be tried again. Otherwise the fields say what is gone, and `first` is the first
 * of them; undefined if the refusal has another reason. Throws the server's errors.
 */
export async function findMissing(
  form: Group,
  message: string,
): Promise<{ readonly isRepaired: boolean; readonly first: Node | undefined }> {
  const documentId = MISSING_DOCUMENT.exec(message)?.[1];
  if (documentId !== undefined) {
    const isRepaired = forgetRemoved(form, documentId);
    return { isRepaired, first: isRepaired ? undefined : markFields(form, missingDocument(documentId)) };
  }
  const describe = MISSING_FILES.test(message) ? await missingFiles(form) : undefined;
  return { isRepaired: false, first: describe && markFields(form, describe) };
}
