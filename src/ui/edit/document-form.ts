/** The form of an open document: its changes since the document was saved, and their copy in the browser's storage. */
import { type Signal, signal } from "@preact/signals";
import type { ContentType } from "../model.ts";
import type { Version } from "./document-requests.ts";
import { changedNames, changedValues } from "./form/changed-values.ts";
import { decidingNames } from "./form/conditions.ts";
import { FormHistory } from "./form/form-history.ts";
import { makeNew } from "./form/make-new.ts";
import { forgetRemovedEntries, isSame, mergeSaved } from "./form/merge-saved.ts";
import { readUnsaved, removeUnsaved, type Unsaved, type UnsavedKey } from "./form/recovery.ts";
import { differing } from "./form/same-values.ts";
import { collectValues, createGroup, type Group, type Node, type Step } from "./form/tree.ts";
import { UnsavedRecorder } from "./form/unsaved-recorder.ts";
import { isLocalizedAttribute, newValues, readValues, type Values, writeValues } from "./form/values.ts";

export interface DocumentFormOptions {
  readonly type: ContentType;
  /** Identifies the document in the browser's storage. */
  readonly key: () => UnsavedKey;
  /** `updatedAt` of the version that is edited. */
  readonly basedOn: () => string | undefined;
  /** The id of a new document; undefined for others. */
  readonly newId: () => string | undefined;
  /** Called if unsaved changes could not be stored. */
  readonly onStorageError: (error: unknown) => void;
}

export class DocumentForm {
  /** Undefined until the document is loaded. */
  readonly group: Signal<Group | undefined> = signal(undefined);
  /** Whether there are unsaved changes by the user. */
  readonly isChanged = signal(false);
  /** Counts changes by the user. */
  readonly changeCount = signal(0);
  readonly #options: DocumentFormOptions;
  readonly #recorder: UnsavedRecorder;
  readonly #history = new FormHistory();
  /** As last loaded or saved. */
  #saved: Values = {};
  /** Another locale of a document that does not exist in this one yet. */
  #sibling: Values | undefined;
  /** Unsaved changes of attributes that the type no longer has: kept in case that it has them again. */
  #lost: Values = {};

  constructor(options: DocumentFormOptions) {
    this.#options = options;
    this.#recorder = new UnsavedRecorder(() => this.#unsaved(), options.onStorageError);
  }

  /** The current values; empty until the document is loaded. */
  values(): Values {
    const group = this.group.peek();
    return group ? collectValues(group) : {};
  }

  /** Shows a version as it was loaded; undefined: one that does not exist yet, while another locale of it, `sibling`, may. */
  show(version: Version | undefined, sibling?: Values): void {
    const { attributes } = this.#options.type;
    this.#sibling = sibling;
    this.#saved = version ? readValues(attributes, version) : newValues(attributes, sibling);
    this.fill(this.#saved);
  }

  /** A new form, which has no changes yet. */
  fill(values: Values): void {
    this.#recorder.cancel();
    this.#history.clear();
    this.isChanged.value = false;
    this.group.value = createGroup(this.#options.type.attributes, values, (step) => this.changed(step));
  }

  /** Called after each change by the user. */
  changed(step?: Step): void {
    if (step) this.#history.record(step);
    this.isChanged.value = true;
    this.changeCount.value++;
    this.#recorder.schedule();
  }

  /**
   * The attributes changed by the user: changes by others to the rest are not overwritten. `isNew`: all of them that have a
   * value, without unchanged ones that the locales share, which the server copies. What is visible under a condition is sent with the
   * values that decide it, since the server checks it by them.
   */
  changes(isNew: boolean): Record<string, unknown> {
    const { attributes } = this.#options.type;
    const body = writeValues(attributes, this.values());
    const saved = writeValues(attributes, this.#saved);
    const isCopied = (name: string): boolean => this.#sibling !== undefined && !isLocalizedAttribute(attributes[name]!);
    const isChanged = (name: string): boolean =>
      isNew && !isCopied(name) ? body[name] !== null : !isSame(body[name], saved[name]);
    const sent = new Set(Object.keys(body).filter(isChanged));
    for (const name of Object.keys(body)) {
      const together = [name, ...decidingNames(attributes[name]!)];
      if (together.length > 1 && together.some(isChanged)) for (const other of together) sent.add(other);
    }
    return Object.fromEntries(Object.entries(body).filter(([name]) => sent.has(name)));
  }

  /** Merges a version into the form; changes made since its values were `sent` stay. `isOwn`: it was saved here. */
  merge(group: Group, sent: Values, version: Version, isOwn: boolean): void {
    const { attributes } = this.#options.type;
    this.#saved = readValues(attributes, version);
    this.isChanged.value = mergeSaved(group, sent, this.#saved, isOwn);
    if (isOwn) this.#history.rebase();
    else this.#history.clear();
    if (this.isChanged.peek()) return this.storeUnsaved();
    this.#recorder.cancel();
    // they may have been stored while the saved version was read
    this.forgetUnsaved();
  }

  /** Fills in other values. Attributes that have been changed since `before` stay as they are. */
  fillIn(values: Values, before: Values): void {
    const now = this.values();
    const changes = Object.entries(now).filter(([name, value]) => !isSame(value, before[name]));
    this.fill({ ...now, ...values, ...Object.fromEntries(changes) });
    this.changed();
  }

  /** Fills in the main field, if it is a text and empty. */
  nameIt(name: string): void {
    const { mainField, attributes } = this.#options.type;
    const isText = attributes[mainField]?.type === "string" || attributes[mainField]?.type === "text";
    const before = this.values();
    if (isText && !before[mainField]) this.fillIn({ [mainField]: name }, before);
  }

  /** Takes the last addition, removal or move back, or makes it again. Returns its field; undefined: there is none. */
  step(direction: "undo" | "redo"): Node | undefined {
    const node = this.#history[direction]();
    const group = this.group.peek();
    if (node && group) forgetRemovedEntries(group, this.#saved);
    return node;
  }

  /** Whether a version has all of the form's values. */
  isStoredAs(version: Version): boolean {
    const { attributes } = this.#options.type;
    return changedNames(attributes, this.values(), readValues(attributes, version)).length === 0;
  }

  /** Whether a version has other values than the one that was loaded last. Deleting what it links to is no change of it. */
  isOtherThanSaved(version: Version): boolean {
    const { attributes } = this.#options.type;
    return differing(attributes, this.#saved, readValues(attributes, version), false).length > 0;
  }

  /** After the document was deleted: its values become those of a new one. */
  makeNew(): void {
    this.#history.clear();
    this.#sibling = undefined;
    this.#saved = newValues(this.#options.type.attributes);
    if (this.group.value) makeNew(this.group.value);
    this.changed();
  }

  #unsaved(): readonly [UnsavedKey, Unsaved | undefined] | undefined {
    if (!this.group.peek() || !this.isChanged.peek()) return undefined;
    const { type, key, basedOn, newId } = this.#options;
    const all = this.values();
    const values = { ...this.#lost, ...changedValues(type.attributes, all, this.#saved) };
    if (Object.keys(values).length === 0) return [key(), undefined];
    const main = all[type.mainField];
    const name = typeof main === "string" ? main : undefined;
    return [key(), { at: Date.now(), basedOn: basedOn(), newId: newId(), name, values }];
  }

  /** Writes unsaved changes to the browser's storage at once. */
  storeUnsaved(): void {
    this.#recorder.flush();
  }

  /** Shows the unsaved changes of an earlier visit, and returns them. */
  recover(): Unsaved | undefined {
    const unsaved = readUnsaved(this.#options.key());
    if (!unsaved || !this.group.peek()) return undefined;
    const { attributes } = this.#options.type;
    this.#lost = Object.fromEntries(Object.entries(unsaved.values).filter(([name]) => !attributes[name]));
    this.fill({ ...this.values(), ...unsaved.values });
    forgetRemovedEntries(this.group.peek()!, this.#saved);
    this.isChanged.value = true;
    return unsaved;
  }

  /** Prepares the form for being written over a version that somebody else saved. */
  overwrite(version: Version): void {
    const group = this.group.peek();
    if (group) forgetRemovedEntries(group, readValues(this.#options.type.attributes, version));
  }

  get lost(): Values {
    return this.#lost;
  }

  /** Removes unsaved changes from the browser's storage; the form keeps them. */
  forgetUnsaved(): void {
    this.#lost = {};
    removeUnsaved(this.#options.key());
  }

  /** Forgets what was changed, after the document was deleted. */
  abandon(): void {
    this.#recorder.cancel();
    this.isChanged.value = false;
    this.forgetUnsaved();
  }
}
