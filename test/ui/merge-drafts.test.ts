/** Unsaved changes of a type, applied to files that were changed meanwhile. */
import { describe, expect, test } from "bun:test";
import { createRequest, type Draft, newAttribute, savedDraft } from "../../src/ui/pages/content-types/draft.ts";
import { mergeDraft } from "../../src/ui/pages/content-types/merge-drafts.ts";
import type { Schemas } from "../../src/ui/pages/content-types/schemas.ts";

const UID = "api::note.note";
const string = { type: "string" };
const text = { type: "text" };

function saved(attributes: Readonly<Record<string, { type: string }>>, displayName = "Note"): Draft {
  const schema = {
    displayName,
    singularName: "note",
    pluralName: "notes",
    description: "",
    kind: "collectionType",
    draftAndPublish: true,
    attributes,
    visible: true,
  } as const;
  const schemas: Schemas = {
    types: [{ uid: UID, schema }],
    components: [],
    common: {},
    reserved: { models: [], attributes: [] },
    options: {},
  };
  return savedDraft(UID, schemas)!;
}

const base = saved({ title: string, size: string, extra: string });
const attribute = (name: string) => base.attributes.find((item) => item.name === name)!;
const withAttributes = (attributes: Draft["attributes"]): Draft => ({ ...base, attributes }) as Draft;
const others = (...names: readonly string[]) => base.attributes.filter(({ name }) => !names.includes(name));

function merge(mine: Draft, theirs: Draft) {
  const { draft, conflicts } = mergeDraft(createRequest(base), mine, theirs);
  return { names: draft.attributes.map(({ name }) => name), conflicts, draft, request: createRequest(draft) };
}

describe("unsaved changes and changed files", () => {
  const mineAdds = withAttributes([...base.attributes, newAttribute("mine", text)]);

  test("what others added and what is unsaved are both there", () => {
    const { names, conflicts } = merge(mineAdds, saved({ title: string, theirs: string, size: string, extra: string }));
    expect(names.toSorted()).toEqual(["extra", "mine", "size", "theirs", "title"]);
    expect(names.indexOf("theirs")).toBe(names.indexOf("title") + 1);
    expect(conflicts).toEqual([]);
  });

  test("what others removed or changed is removed or changed", () => {
    const { names, draft } = merge(mineAdds, saved({ title: text, extra: string }));
    expect(names).toEqual(["title", "extra", "mine"]);
    expect(draft.attributes[0]!.definition).toEqual(text);
  });

  test("what was removed here stays removed", () => {
    const { names } = merge(withAttributes(others("extra")), saved({ title: string, size: text, extra: string }));
    expect(names).toEqual(["title", "size"]);
  });

  test("a new name of an attribute keeps what others changed of it", () => {
    const renamed = withAttributes([...others("title"), { ...attribute("title"), name: "headline" }]);
    const { request, conflicts } = merge(renamed, saved({ title: text, size: string, extra: string }));
    expect(request).toMatchObject({ contentType: { attributes: { headline: text } } });
    expect(request).toMatchObject({ renames: { title: "headline" } });
    expect(conflicts).toEqual([]);
  });

  test("what both changed is as it was changed here, and is told", () => {
    const mine = withAttributes([...others("size"), { ...attribute("size"), definition: { type: "integer" } }]);
    const theirs = saved({ title: string, size: text, extra: string }, "Their name");
    const { draft, conflicts } = merge({ ...mine, displayName: "My name" } as Draft, theirs);
    expect(draft.attributes.find(({ name }) => name === "size")!.definition.type).toBe("integer");
    expect(draft.displayName).toBe("My name");
    expect(conflicts.toSorted()).toEqual(["displayName", "size"]);
  });

  test("what others removed and was changed here is there again, as a new attribute", () => {
    const mine = withAttributes([...others("size"), { ...attribute("size"), definition: { type: "integer" } }]);
    const { draft, conflicts } = merge(mine, saved({ title: string, extra: string }));
    expect(draft.attributes.find(({ name }) => name === "size")).toMatchObject({ original: undefined });
    expect(conflicts).toEqual(["size"]);
  });

  test("the same change on both sides is not a change any more", () => {
    const renamed = withAttributes(
      base.attributes.map((item) => (item.name === "title" ? { ...item, name: "headline" } : item)),
    );
    const theirs = saved({ headline: string, size: string, extra: string });
    expect(createRequest(mergeDraft(createRequest(base), renamed, theirs).draft)).toEqual(createRequest(theirs));
  });

  test("an order that was changed here stays", () => {
    const mine = withAttributes(base.attributes.toReversed());
    expect(merge(mine, saved({ title: string, size: string, extra: string, more: string })).names).toEqual([
      "extra",
      "more",
      "size",
      "title",
    ]);
  });

  test("attributes keep their keys when the type is loaded again", () => {
    const keys = ({ attributes }: Draft) => attributes.map(({ key }) => key);
    expect(keys(saved({ title: string, size: string, extra: string }))).toEqual(keys(base));
  });
});
