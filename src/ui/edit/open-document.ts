/** The state of a document that is open in a form: loading, saving, publishing, and recovery of unsaved changes. */
import { type Signal, signal } from "@preact/signals";
import { UnreachableError } from "../api/client.ts";
import { type ContentType, hasDrafts } from "../model.ts";
import { DocumentForm } from "./document-form.ts";
import {
  DeletedDocument,
  DocumentRequests,
  NewerVersion,
  type OtherVersion,
  type Version,
} from "./document-requests.ts";
import { loadEditors } from "./fields/editor-fields.tsx";
import { loadConditions } from "./form/conditions.ts";
import { clearProblems, missingFiles, placeProblems, textProblems } from "./form/problems.ts";
import { markMissing, removeUnsaved, type UnsavedKey } from "./form/recovery.ts";
import { placeRefusal } from "./form/refusals.ts";
import type { Group, Node, Step } from "./form/tree.ts";
import { readValues, type Values } from "./form/values.ts";
import { newDocumentId } from "./new-document-id.ts";
import { findRemoteChange, type RemoteChange, refuseUntimed } from "./remote-change.ts";

export class OpenDocument {
  readonly type: ContentType;
  readonly locale: string | undefined;
  readonly isLoading = signal(true);
  readonly isBusy = signal(false);
  /** As last loaded or saved; undefined while it does not exist. */
  readonly version: Signal<Version | undefined> = signal(undefined);
  readonly otherLocales: Signal<readonly OtherVersion[]> = signal([]);
  /** When the recovered changes were made; undefined if none were recovered. */
  readonly recoveredAt: Signal<number | undefined> = signal(undefined);
  /** An error that concerns the document as a whole. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  /** No document had this id when it was opened. */
  readonly isMissing = signal(false);
  readonly remoteChange: Signal<RemoteChange | undefined> = signal(undefined);
  /** Undefined until it is loaded. */
  readonly form: Signal<Group | undefined>;
  /** Unsaved changes by the user. */
  readonly isChanged: Signal<boolean>;
  /** Counts changes by the user. */
  readonly changeCount: Signal<number>;
  readonly #requests: DocumentRequests;
  readonly #form: DocumentForm;
  readonly #place: string | undefined;

  /**
   * `documentId` undefined: a new document, or a single type. `onStorageError`: unsaved changes could not be stored. `place`: where
   * a new document is open beside another one, which may be new and of the same type; their unsaved changes are stored apart.
   */
  constructor(
    type: ContentType,
    documentId: string | undefined,
    locale: string | undefined,
    onStorageError: (error: unknown) => void,
    place?: string,
  ) {
    this.type = type;
    this.locale = locale;
    this.#place = place;
    this.#requests = new DocumentRequests(type, documentId, locale);
    this.#form = new DocumentForm({
      type,
      key: () => this.#key,
      basedOn: () => this.version.peek()?.updatedAt,
      newId: () => (this.#requests.isNew ? this.#requests.newId : undefined),
      onStorageError,
    });
    this.form = this.#form.group;
    this.isChanged = this.#form.isChanged;
    this.changeCount = this.#form.changeCount;
  }

  /** Unsaved changes of attributes that the type no longer has. */
  get lost(): Values {
    return this.#form.lost;
  }

  get documentId(): string | undefined {
    return this.#requests.documentId;
  }

  /** Where its requests go. */
  get path(): string {
    return this.#requests.path;
  }

  get #key(): UnsavedKey {
    const { isNew, documentId } = this.#requests;
    return { uid: this.type.uid, documentId: isNew ? this.#place : (documentId ?? "single"), locale: this.locale };
  }

  /** Loads the document and recovers unsaved changes. Sets `problem` on failure. */
  async open(): Promise<void> {
    await this.#open(() => this.#recover());
  }

  async #open(afterwards: () => void): Promise<void> {
    try {
      const [stored] = await Promise.all([
        this.#requests.isNew ? undefined : this.#requests.read(),
        loadConditions(this.type.attributes),
        loadEditors(this.type.attributes),
      ]);
      if (stored?.version) await loadEditors(this.type.attributes, readValues(this.type.attributes, stored.version));
      this.#show(stored?.version, stored?.otherLocales[0]);
      this.otherLocales.value = stored?.otherLocales ?? [];
      this.remoteChange.value = undefined;
      afterwards();
    } catch (error) {
      this.isMissing.value = error instanceof DeletedDocument && this.form.peek() === undefined;
      this.problem.value = (error as Error).message;
      if (this.isMissing.peek()) markMissing(this.#key);
    } finally {
      this.isLoading.value = false;
    }
  }

  #show(version: Version | undefined, sibling?: OtherVersion): void {
    this.version.value = version;
    this.#setDocumentId(version);
    this.#form.show(version, sibling);
  }

  #setDocumentId(version: Version | undefined): void {
    if (version && this.type.kind === "collectionType") this.#requests.documentId = version.documentId;
  }

  /** Called after each change by the user. */
  changed(step?: Step): void {
    this.#form.changed(step);
  }

  /** See `DocumentForm`. */
  step(direction: "undo" | "redo"): Node | undefined {
    return this.#form.step(direction);
  }

  /** Writes unsaved changes to the browser's storage at once. */
  storeUnsaved(): void {
    this.#form.storeUnsaved();
  }

  #recover(): void {
    const unsaved = this.#form.recover();
    if (!unsaved) return;
    const version = this.version.peek();
    this.recoveredAt.value = unsaved.at;
    if (unsaved.newId !== undefined) this.#requests.newId = unsaved.newId;
    if (version && unsaved.basedOn !== version.updatedAt)
      this.remoteChange.value = { kind: "saved", at: version.updatedAt };
  }

  /** Gives a new document a name, unless it has one. */
  nameIt(name: string): void {
    if (this.#requests.isNew) this.#form.nameIt(name);
  }

  /** Discards unsaved changes. */
  async revert(): Promise<void> {
    this.problem.value = undefined;
    // only after it has been loaded: a failure must not lose the unsaved changes
    await this.#open(() => {
      this.#form.forgetUnsaved();
      this.recoveredAt.value = undefined;
      this.#requests.newId = newDocumentId();
    });
  }

  /**
   * Called when content changed on the server. Loads a newer version unless the form has unsaved changes. Returns whether
   * it loaded one of somebody else.
   */
  async refresh(): Promise<boolean> {
    const version = this.version.peek();
    const form = this.form.peek();
    if (!version || !form || this.isBusy.peek()) return false;
    const sent = this.#form.values();
    const stored = await this.#requests.read().catch((error: unknown) => {
      if (error instanceof DeletedDocument) return { version: undefined, otherLocales: [] };
      // the server is unreachable for a moment, which the next save reports
      return undefined;
    });
    // saved or opened here in the meantime
    const isStale = this.isBusy.peek() || this.version.peek() !== version || this.form.peek() !== form;
    if (!stored || isStale) return false;
    if (!stored.version) {
      this.remoteChange.value = { kind: "deleted" };
      return false;
    }
    this.otherLocales.value = stored.otherLocales;
    const isLater = stored.version.updatedAt !== version.updatedAt;
    // a content file that is edited by hand keeps its time
    const isNewer = isLater || this.#form.isOtherThanSaved(stored.version);
    // saved from here: only the response was lost
    const isOwn = this.isChanged.peek() && this.#form.isStoredAs(stored.version);
    if (isNewer && this.isChanged.peek() && !isOwn) {
      this.remoteChange.value = { kind: "saved", at: isLater ? stored.version.updatedAt : undefined };
      return false;
    }
    this.version.value = stored.version;
    // otherwise it was published or unpublished: the values are the same
    if (isNewer) this.#form.merge(form, sent, stored.version, false);
    return isNewer && !isOwn;
  }

  /**
   * After somebody else deleted the document: the form becomes that of a new one, or of a new locale where other locales are
   * still there. Throws the server's errors.
   */
  async makeNew(): Promise<void> {
    const stored = await this.#requests.read().catch((error: unknown) => {
      if (!(error instanceof DeletedDocument)) throw error;
      return undefined;
    });
    if (stored?.version) return void (await this.refresh());
    this.#form.makeNew();
    this.#form.forgetUnsaved();
    if (!stored) {
      this.#requests.documentId = undefined;
      this.#requests.newId = newDocumentId();
    }
    this.version.value = undefined;
    this.remoteChange.value = undefined;
  }

  /**
   * Saves the draft, and with `publish` publishes it. Shows validation errors at their fields, and returns the first such
   * field. Throws other errors of the server, and a NewerVersion. `overwrite`: a version saved by another user, which may be
   * overwritten.
   */
  async save(action?: "publish", overwrite?: Version): Promise<Node | undefined> {
    try {
      return await this.#save(action, overwrite);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      // only the response may have been lost
      await (this.#requests.isNew ? this.#showCreated() : this.refresh());
      const isPublished = this.version.peek()?.status === "published";
      if (this.isChanged.peek() || (action === "publish" && !isPublished)) throw error;
      return undefined;
    }
  }

  /** Shows the document that a create request without a response has created, unless the form has changed since. */
  async #showCreated(): Promise<void> {
    // the server is unreachable for a moment, which the error of the save reports
    const created = await this.#requests.readCreated().catch(() => undefined);
    if (!created || !this.#form.isStoredAs(created)) return;
    removeUnsaved(this.#key);
    this.recoveredAt.value = undefined;
    this.#show(created);
  }

  /** From now on, a new document is the one that an earlier request has created. */
  #adopt(created: Version): void {
    if (!this.#requests.isNew) return;
    const key = this.#key;
    this.#setDocumentId(created);
    this.storeUnsaved();
    removeUnsaved(key);
  }

  /** Whether saving may write over a version that the server has instead: only the response of an earlier request was lost. */
  #isOwn(version: Version): boolean {
    const isCreatedHere = this.#requests.isNew && version.updatedAt === version.createdAt;
    return isCreatedHere || this.#form.isStoredAs(version);
  }

  async #save(action: "publish" | undefined, overwrite: Version | undefined): Promise<Node | undefined> {
    const form = this.form.peek();
    if (!form || this.isBusy.peek()) return undefined;
    this.isBusy.value = true;
    clearProblems(form);
    this.problem.value = undefined;
    try {
      const isPublished = action === "publish" || !hasDrafts(this.type);
      const invalid = [...(await textProblems(form)), ...(isPublished ? missingFiles(form) : [])];
      if (invalid.length > 0) return placeProblems(form, invalid).first;
      if (!overwrite) await refuseUntimed(this.remoteChange.peek(), this.#requests);
      const key = this.#key;
      if (overwrite) this.#form.overwrite(overwrite);
      const body = this.#form.changes(this.version.peek() === undefined);
      const sent = this.#form.values();
      this.#setDocumentId(await this.#requests.write(action, body, overwrite ?? this.version.peek()));
      removeUnsaved(key);
      this.recoveredAt.value = undefined;
      this.remoteChange.value = undefined;
      const { version, otherLocales } = await this.#requests.read();
      this.otherLocales.value = otherLocales;
      if (!version || this.form.peek() !== form) this.#show(version);
      else {
        this.version.value = version;
        this.#form.merge(form, sent, version, true);
      }
      return undefined;
    } catch (error) {
      if (error instanceof NewerVersion && !overwrite && this.#isOwn(error.version)) {
        this.isBusy.value = false;
        this.#adopt(error.version);
        return await this.#save(action, error.version);
      }
      this.remoteChange.value = findRemoteChange(error) ?? this.remoteChange.peek();
      const { first, others, isRepaired } = await placeRefusal(form, error);
      if (others.length > 0) this.problem.value = others.join(". ");
      if (isRepaired) {
        this.isBusy.value = false;
        return await this.#save(action, overwrite);
      }
      if (!first) throw error;
      return first;
    } finally {
      this.isBusy.value = false;
    }
  }

  /**
   * Runs a write based on the shown version. Throws the server's errors; after a conflict the newer version is loaded, or
   * reported in `remoteChange` if the form has unsaved changes.
   */
  async change(write: (requests: DocumentRequests, basedOn: Version | undefined) => Promise<void>): Promise<void> {
    this.isBusy.value = true;
    try {
      await write(this.#requests, this.version.peek());
    } catch (error) {
      this.isBusy.value = false;
      if (findRemoteChange(error)) await this.refresh();
      throw error;
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Forgets unsaved changes, after the document was deleted. */
  abandon(): void {
    this.#form.abandon();
  }

  /**
   * Fills the form with the values of another locale, without saving them. Attributes that are changed while they are read
   * stay as they are. Throws the server's errors.
   */
  async fillIn(locale: string): Promise<void> {
    const before = this.#form.values();
    const { readFillIn } = await import("./form/fill-in.ts");
    const { type, documentId, locale: filled } = this;
    this.#form.fillIn(await readFillIn({ type, documentId, locale: filled, source: locale }, before), before);
  }
}
