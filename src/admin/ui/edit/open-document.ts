/** A document that is open in a form: it is loaded, saved, published, and kept while it is not saved. */
import { type Signal, signal } from "@preact/signals";
import { ApiFailure } from "../api/client.ts";
import { type ContentType, hasDrafts } from "../model.ts";
import {
  DeletedDocument,
  type DocumentAction,
  DocumentRequests,
  type OtherVersion,
  type Version,
} from "./document-requests.ts";
import { type Elsewhere, elsewhereOf } from "./elsewhere.ts";
import { forgetUnsaved, readUnsaved, type Unsaved, type UnsavedKey } from "./form/recovery.ts";
import { adopt, clearProblems, createGroup, type Group, type Node, placeProblems, valuesOf } from "./form/tree.ts";
import { UnsavedRecorder } from "./form/unsaved-recorder.ts";
import { newValues, readValues, type Values, writeValues } from "./form/values.ts";

export interface SaveOptions {
  /** The version saved by somebody else, which may be overwritten. */
  readonly over?: Version;
}

export class OpenDocument {
  readonly type: ContentType;
  readonly locale: string | undefined;
  readonly isLoading = signal(true);
  readonly isBusy = signal(false);
  /** Unsaved changes by the user. */
  readonly isChanged = signal(false);
  /** As it was loaded or saved last; undefined while it does not exist. */
  readonly version: Signal<Version | undefined> = signal(undefined);
  readonly otherLocales: Signal<readonly OtherVersion[]> = signal([]);
  readonly form: Signal<Group | undefined> = signal(undefined);
  /** When the text was written that was recovered; undefined where nothing was. */
  readonly recoveredAt: Signal<number | undefined> = signal(undefined);
  /** A problem of the document as a whole. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  /** There was none of this id when it was opened. */
  readonly isMissing = signal(false);
  readonly elsewhere: Signal<Elsewhere | undefined> = signal(undefined);
  readonly #requests: DocumentRequests;
  #savedBody: Record<string, unknown> = {};
  readonly #recorder: UnsavedRecorder;

  /** `documentId` undefined: a new document, or the one of a single type. `onProblem` shows what stops nothing. */
  constructor(
    type: ContentType,
    documentId: string | undefined,
    locale: string | undefined,
    onProblem: (error: unknown) => void,
  ) {
    this.type = type;
    this.locale = locale;
    this.#requests = new DocumentRequests(type, documentId, locale);
    this.#recorder = new UnsavedRecorder(() => this.#unsaved(), onProblem);
  }

  get documentId(): string | undefined {
    return this.#requests.documentId;
  }

  /** Where its requests go. */
  get path(): string {
    return this.#requests.path;
  }

  get hasDrafts(): boolean {
    return hasDrafts(this.type);
  }

  get #key(): UnsavedKey {
    const { isNew, documentId } = this.#requests;
    return { uid: this.type.uid, documentId: isNew ? undefined : (documentId ?? "single"), locale: this.locale };
  }

  /** Reads it, and what was not saved of it the last time. Problems are in `problem`. */
  async open(): Promise<void> {
    await this.#open(() => this.#recover());
  }

  async #open(afterwards: () => void): Promise<void> {
    try {
      const stored = this.#requests.isNew ? undefined : await this.#requests.read();
      this.#show(stored?.version);
      this.otherLocales.value = stored?.otherLocales ?? [];
      this.elsewhere.value = undefined;
      afterwards();
    } catch (error) {
      this.isMissing.value = error instanceof DeletedDocument && this.form.peek() === undefined;
      this.problem.value = (error as Error).message;
    } finally {
      this.isLoading.value = false;
    }
  }

  #show(version: Version | undefined): void {
    const { attributes } = this.type;
    this.version.value = version;
    this.#identify(version);
    this.#fill(version ? readValues(attributes, version) : newValues(attributes));
    this.#savedBody = version ? this.#body() : {};
  }

  #identify(version: Version | undefined): void {
    if (version && this.type.kind === "collectionType") this.#requests.documentId = version.documentId;
  }

  #fill(values: Values): void {
    this.#recorder.stop();
    this.isChanged.value = false;
    this.form.value = createGroup(this.type.attributes, values, () => this.changed());
  }

  #body(): Record<string, unknown> {
    const form = this.form.peek();
    return form ? writeValues(this.type.attributes, valuesOf(form)) : {};
  }

  /** Only what the user changed, so that what others changed meanwhile stays. */
  #changes(): Record<string, unknown> {
    const isNew = this.version.peek() === undefined;
    const isSent = (name: string, value: unknown): boolean =>
      isNew ? value !== null : JSON.stringify(value) !== JSON.stringify(this.#savedBody[name]);
    return Object.fromEntries(Object.entries(this.#body()).filter(([name, value]) => isSent(name, value)));
  }

  /** Called after each change by the user. */
  changed(): void {
    this.isChanged.value = true;
    this.#recorder.soon();
  }

  #unsaved(): readonly [UnsavedKey, Unsaved] | undefined {
    const form = this.form.peek();
    if (!form || !this.isChanged.peek()) return undefined;
    return [this.#key, { at: Date.now(), basedOn: this.version.peek()?.updatedAt, values: valuesOf(form) }];
  }

  /** Keeps unsaved changes in the browser, now. */
  keep(): void {
    this.#recorder.now();
  }

  #recover(): void {
    const unsaved = readUnsaved(this.#key);
    const form = this.form.peek();
    if (!unsaved || !form) return;
    const version = this.version.peek();
    // the type may have other attributes since then
    this.#fill({ ...valuesOf(form), ...unsaved.values });
    this.isChanged.value = true;
    this.recoveredAt.value = unsaved.at;
    if (version && unsaved.basedOn !== version.updatedAt)
      this.elsewhere.value = { kind: "saved", at: version.updatedAt };
  }

  /** Gives up what was not saved. */
  async revert(): Promise<void> {
    this.problem.value = undefined;
    // not before it is read: until then the form goes on keeping what is in it
    await this.#open(() => {
      forgetUnsaved(this.#key);
      this.recoveredAt.value = undefined;
    });
  }

  /**
   * Called when something has changed on the server. What somebody else saved of this document is shown at once, unless
   * something here is not saved. Returns whether other values are shown.
   */
  async follow(): Promise<boolean> {
    const version = this.version.peek();
    const form = this.form.peek();
    if (!version || !form || this.isBusy.peek()) return false;
    const sent = valuesOf(form);
    const stored = await this.#requests.read().catch((error: unknown) => {
      if (error instanceof DeletedDocument) return { version: undefined, otherLocales: [] };
      // the server is gone for a moment, which the next save says
      return undefined;
    });
    // saved or opened here in the meantime
    const isStale = this.isBusy.peek() || this.version.peek() !== version || this.form.peek() !== form;
    if (!stored || isStale) return false;
    if (!stored.version) {
      this.elsewhere.value = { kind: "deleted" };
      return false;
    }
    this.otherLocales.value = stored.otherLocales;
    const isNewer = stored.version.updatedAt !== version.updatedAt;
    if (isNewer && this.isChanged.peek()) {
      this.elsewhere.value = { kind: "saved", at: stored.version.updatedAt };
      return false;
    }
    if (isNewer) this.#takeOver(form, sent, stored.version, false);
    // published or withdrawn: its values are the same
    else this.version.value = stored.version;
    return isNewer;
  }

  /**
   * Saves the draft, and with `publish` publishes it. Problems of fields are shown at them; returns the first field that has
   * one. Throws what the server refuses otherwise, and a NewerVersion.
   */
  async save(action?: "publish", { over }: SaveOptions = {}): Promise<Node | undefined> {
    const form = this.form.peek();
    if (!form || this.isBusy.peek()) return undefined;
    this.isBusy.value = true;
    clearProblems(form);
    this.problem.value = undefined;
    try {
      const key = this.#key;
      const body = this.#changes();
      const sent = valuesOf(form);
      this.#identify(await this.#requests.write(action, body, over ?? this.version.peek()));
      forgetUnsaved(key);
      this.recoveredAt.value = undefined;
      this.elsewhere.value = undefined;
      const { version, otherLocales } = await this.#requests.read();
      this.otherLocales.value = otherLocales;
      if (!version || this.form.peek() !== form) this.#show(version);
      else this.#takeOver(form, sent, version, true);
      return undefined;
    } catch (error) {
      this.elsewhere.value = elsewhereOf(error) ?? this.elsewhere.peek();
      const first = this.#placeProblems(form, error);
      if (!first) throw error;
      return first;
    } finally {
      this.isBusy.value = false;
    }
  }

  /** The form stays, and what the user has typed since its values were `sent`. `isOwn`: the version was saved here. */
  #takeOver(form: Group, sent: Values, version: Version, isOwn: boolean): void {
    const values = readValues(this.type.attributes, version);
    this.version.value = version;
    this.isChanged.value = adopt(form, sent, values, isOwn);
    this.#savedBody = writeValues(this.type.attributes, values);
    if (this.isChanged.peek()) this.keep();
    else this.#recorder.stop();
  }

  #placeProblems(form: Group, error: unknown): Node | undefined {
    if (!(error instanceof ApiFailure)) return undefined;
    const { first, others } = placeProblems(form, error.problems);
    if (first && others.length > 0) this.problem.value = others.join(". ");
    return first;
  }

  /**
   * Changes what is stored on the server, based on the version that is shown. Throws what the server refuses; what somebody
   * else saved meanwhile is shown then, or said where something here is not saved.
   */
  async #change(write: (basedOn: Version | undefined) => Promise<void>): Promise<void> {
    this.isBusy.value = true;
    try {
      await write(this.version.peek());
    } catch (error) {
      this.isBusy.value = false;
      if (elsewhereOf(error)) await this.follow();
      throw error;
    } finally {
      this.isBusy.value = false;
    }
  }

  act(action: DocumentAction, body: object = {}): Promise<void> {
    return this.#change(async (basedOn) => {
      if (action !== "discard") this.keep();
      await this.#requests.act(action, body, basedOn);
      await (action === "discard" ? this.revert() : this.open());
    });
  }

  /** Writes a version of the history to the draft, and gives up what was not saved. */
  restore(versionId: number): Promise<void> {
    return this.#change(async (basedOn) => {
      await this.#requests.restore(versionId, basedOn);
      await this.revert();
    });
  }

  /** Removes this locale's versions. */
  delete(): Promise<void> {
    return this.#change(async (basedOn) => {
      await this.#requests.delete(basedOn);
      this.#recorder.stop();
      forgetUnsaved(this.#key);
    });
  }

  /** A copy as a new draft; returns its id. */
  duplicate(): Promise<string> {
    return this.#requests.duplicate();
  }

  /** Fills the form with values of another version, without saving them. */
  fillIn(data: Values): void {
    const { attributes } = this.type;
    const form = this.form.peek();
    const own = form ? valuesOf(form) : {};
    this.#fill({ ...own, ...readValues(attributes, data) });
    this.changed();
  }
}
