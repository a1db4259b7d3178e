/** A document that is open in a form: it is loaded, saved, published, and kept while it is not saved. */
import { type Signal, signal } from "@preact/signals";
import { ApiFailure, api } from "../api/client.ts";
import { type ContentType, hasDrafts } from "../model.ts";
import { forgetUnsaved, keepUnsaved, readUnsaved, type UnsavedKey } from "./form/recovery.ts";
import { adopt, clearProblems, createGroup, type Group, type Node, placeProblem, valuesOf } from "./form/tree.ts";
import { newValues, readValues, type Values, writeValues } from "./form/values.ts";

/** A version as the content manager answers it. */
export interface Version {
  readonly id: number;
  readonly documentId: string;
  readonly status?: "draft" | "modified" | "published";
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly publishedAt?: string | null;
  readonly createdBy?: Person | null;
  readonly updatedBy?: Person | null;
  readonly [name: string]: unknown;
}

interface Person {
  readonly firstname?: string | null;
  readonly lastname?: string | null;
}

export interface OtherVersion {
  readonly documentId?: string;
  readonly locale?: string;
  readonly status?: string;
}

interface Answer {
  readonly data: Version;
  readonly meta: {
    readonly availableLocales?: readonly OtherVersion[];
    readonly availableStatus?: readonly OtherVersion[];
  };
}

/** Somebody else saved the document after it was opened here. */
export class NewerVersion extends Error {
  override readonly name = "NewerVersion";
  readonly version: Version;

  constructor(version: Version) {
    super("This document was saved by somebody else in the meantime");
    this.version = version;
  }
}

export interface SaveOptions {
  /** Also when somebody else saved it in the meantime. */
  readonly overwrites?: boolean;
}

export type DocumentAction = "publish" | "unpublish" | "discard";

/** So long after the last change it is kept in the browser. */
const KEEP_MS = 300;

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
  #documentId: string | undefined;
  #savedBody: Record<string, unknown> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onProblem: (error: unknown) => void;

  /** `documentId` undefined: a new document, or the one of a single type. `onProblem` shows what stops nothing. */
  constructor(
    type: ContentType,
    documentId: string | undefined,
    locale: string | undefined,
    onProblem: (error: unknown) => void,
  ) {
    this.type = type;
    this.locale = locale;
    this.#documentId = documentId;
    this.#onProblem = onProblem;
  }

  get documentId(): string | undefined {
    return this.#documentId;
  }

  /** Where its requests go. */
  get path(): string {
    const { kind, uid } = this.type;
    if (kind === "singleType") return `/content-manager/single-types/${uid}`;
    const base = `/content-manager/collection-types/${uid}`;
    return this.#documentId === undefined ? base : `${base}/${this.#documentId}`;
  }

  get #isNew(): boolean {
    return this.type.kind === "collectionType" && this.#documentId === undefined;
  }

  get #key(): UnsavedKey {
    return {
      uid: this.type.uid,
      documentId: this.#isNew ? undefined : (this.#documentId ?? "single"),
      locale: this.locale,
    };
  }

  /** Reads it, and what was not saved of it the last time. Problems are in `problem`. */
  async open(): Promise<void> {
    try {
      const answer = this.#isNew ? undefined : await this.#read();
      this.#show(answer?.data);
      this.otherLocales.value = answer?.meta.availableLocales ?? [];
      this.#recover();
    } catch (error) {
      this.problem.value = (error as Error).message;
    } finally {
      this.isLoading.value = false;
    }
  }

  /** The version on the server; undefined for a locale, or a document of a single type, that does not exist yet. */
  async #read(): Promise<Answer | undefined> {
    try {
      const answer = await api.get<Answer>(this.path, { query: { locale: this.locale } });
      return answer.data?.documentId === undefined ? { ...answer, data: undefined as never } : answer;
    } catch (error) {
      const isMissing = error instanceof ApiFailure && error.status === 404;
      if (isMissing && (this.type.kind === "singleType" || this.locale !== undefined)) return undefined;
      throw error;
    }
  }

  #show(version: Version | undefined): void {
    const { attributes } = this.type;
    this.version.value = version;
    if (version && this.type.kind === "collectionType") this.#documentId = version.documentId;
    this.#fill(version ? readValues(attributes, version) : newValues(attributes));
    this.#savedBody = version ? this.#body() : {};
  }

  #fill(values: Values): void {
    clearTimeout(this.#timer);
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
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), KEEP_MS);
  }

  /** Keeps unsaved changes in the browser, now. */
  keep(): void {
    clearTimeout(this.#timer);
    const form = this.form.peek();
    if (!form || !this.isChanged.peek()) return;
    try {
      keepUnsaved(this.#key, { at: Date.now(), basedOn: this.version.peek()?.updatedAt, values: valuesOf(form) });
    } catch (cause) {
      this.#onProblem(new Error("The browser has no room to keep unsaved text: save soon", { cause }));
    }
  }

  #recover(): void {
    const unsaved = readUnsaved(this.#key);
    if (!unsaved) return;
    this.#fill(unsaved.values);
    this.isChanged.value = true;
    this.recoveredAt.value = unsaved.at;
    if (unsaved.basedOn !== this.version.peek()?.updatedAt)
      this.problem.value = new NewerVersion(this.version.peek()!).message;
  }

  /** Gives up what was not saved. */
  async revert(): Promise<void> {
    forgetUnsaved(this.#key);
    this.recoveredAt.value = undefined;
    this.problem.value = undefined;
    await this.open();
  }

  /** Throws NewerVersion where somebody else saved it since it was opened here. */
  async #checkUnchanged(): Promise<void> {
    const known = this.version.peek();
    if (!known) return;
    const current = await this.#read();
    if (current?.data && current.data.updatedAt !== known.updatedAt) throw new NewerVersion(current.data);
  }

  /**
   * Saves the draft, and with `publish` publishes it. Problems of fields are shown at them; returns the first field that has
   * one. Throws what the server refuses otherwise, and NewerVersion.
   */
  async save(action?: "publish", { overwrites = false }: SaveOptions = {}): Promise<Node | undefined> {
    const form = this.form.peek();
    if (!form || this.isBusy.peek()) return undefined;
    this.isBusy.value = true;
    clearProblems(form);
    this.problem.value = undefined;
    try {
      if (!overwrites) await this.#checkUnchanged();
      const wasNew = this.version.peek() === undefined;
      const call = { query: { locale: this.locale } };
      const body = this.#changes();
      const sent = valuesOf(form);
      const isUpdate = this.type.kind === "singleType" || this.#documentId !== undefined;
      const { data } =
        action === "publish"
          ? await api.post<Answer>(`${this.path}/actions/publish`, body, call)
          : await (isUpdate ? api.put<Answer> : api.post<Answer>)(this.path, body, call);
      forgetUnsaved({ ...this.#key, ...(wasNew && !isUpdate ? { documentId: undefined } : {}) });
      this.recoveredAt.value = undefined;
      this.#documentId = this.type.kind === "collectionType" ? data.documentId : undefined;
      await this.#takeOver(form, sent);
      return undefined;
    } catch (error) {
      const first = this.#placeProblems(form, error);
      if (!first) throw error;
      return first;
    } finally {
      this.isBusy.value = false;
    }
  }

  /** After a save: the form stays, and what the user has typed in the meantime. */
  async #takeOver(form: Group, sent: Values): Promise<void> {
    const answer = await this.#read();
    this.otherLocales.value = answer?.meta.availableLocales ?? [];
    const version = answer?.data;
    if (!version || this.form.peek() !== form) return this.#show(version);
    const saved = readValues(this.type.attributes, version);
    this.version.value = version;
    this.isChanged.value = adopt(form, sent, saved);
    this.#savedBody = writeValues(this.type.attributes, saved);
    if (this.isChanged.peek()) this.keep();
    else clearTimeout(this.#timer);
  }

  #placeProblems(form: Group, error: unknown): Node | undefined {
    if (!(error instanceof ApiFailure)) return undefined;
    const others: string[] = [];
    let first: Node | undefined;
    for (const { path, message } of error.problems) {
      const names = (Array.isArray(path) ? path.map(String) : String(path).split(".")).filter(Boolean);
      const node = placeProblem(form, names, message);
      first ??= node;
      if (!node) others.push(message);
    }
    if (first && others.length > 0) this.problem.value = others.join(". ");
    return first;
  }

  /** Throws what the server refuses. */
  async act(action: DocumentAction, body: object = {}): Promise<void> {
    this.isBusy.value = true;
    try {
      if (action !== "discard") this.keep();
      await api.post(`${this.path}/actions/${action}`, body, { query: { locale: this.locale } });
      if (action === "discard") forgetUnsaved(this.#key);
      await this.open();
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Removes this locale's versions. */
  async delete(): Promise<void> {
    await api.delete(this.path, { query: { locale: this.locale } });
    forgetUnsaved(this.#key);
  }

  /** A copy as a new draft; returns its id. */
  async duplicate(): Promise<string> {
    const { uid } = this.type;
    const { data } = await api.post<Answer>(
      `/content-manager/collection-types/${uid}/clone/${this.#documentId}`,
      {},
      {
        query: { locale: this.locale },
      },
    );
    return data.documentId;
  }

  /** Takes over values of another version, without saving them. */
  fillIn(data: Values): void {
    const { attributes } = this.type;
    const form = this.form.peek();
    const own = form ? valuesOf(form) : {};
    this.#fill({ ...own, ...readValues(attributes, data) });
    this.changed();
  }

  get hasDrafts(): boolean {
    return hasDrafts(this.type);
  }
}
