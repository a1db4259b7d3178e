/**
 * The script that a previewed site runs: it finds the texts with source maps, marks them under the pointer, reports clicks, and shows
 * what is typed in the form. It is sent as text, so that the function must not use anything outside of itself.
 */

interface SiteConfig {
  /** Of the page: other senders are ignored. */
  readonly origin: string;
  /** Of the mark. */
  readonly color: string;
}

interface FieldMessage {
  readonly field: string;
  readonly value?: unknown;
  readonly previous?: unknown;
  readonly type?: string;
}

/** What a site may set, as Strapi's documentation has it. */
interface SiteWindow extends Window {
  readonly STRAPI_HIGHLIGHT_HOVER_COLOR?: string;
  readonly STRAPI_HIGHLIGHT_ACTIVE_COLOR?: string;
  /** The site marks its elements itself. */
  readonly STRAPI_DISABLE_STEGA_DECODING?: boolean;
  endPreview?: () => void;
}

function siteScript({ origin, color }: SiteConfig): void {
  const SOURCE = "data-strapi-source";
  const FOCUSED = "data-strapi-focused";
  const DIGITS = "\u200B\u200C\u200D\uFEFF";
  const MARK = /\u200B{4}(?:\u200B|\u200C|\u200D|\uFEFF)+/;
  const MEDIA = "img, video, audio, source";
  /** Their text is not shown. */
  const UNSEEN = "script, style, noscript, template";
  /** Within this time, a second click on a link edits its text. */
  const DOUBLE_CLICK_MS = 300;
  /** How long React is waited for, at most. */
  const TAKE_OVER_MS = 5000;
  const site = window as SiteWindow;
  site.endPreview?.();
  const ended = new AbortController();
  const { signal } = ended;

  /** The source in a mark: base 4 digits, after four zeros. Undefined for another tool's mark. */
  const decode = (mark: string): string | undefined => {
    let json = "";
    for (let at = 4; at + 4 <= mark.length; at += 4) {
      const code = [...mark.slice(at, at + 4)].reduce((sum, digit) => sum * 4 + DIGITS.indexOf(digit), 0);
      // the next mark begins
      if (code === 0) break;
      json += String.fromCharCode(code);
    }
    try {
      const { strapiSource } = JSON.parse(json) as { readonly strapiSource?: unknown };
      return typeof strapiSource === "string" ? strapiSource : undefined;
    } catch {
      return undefined;
    }
  };

  const pathOf = (source: string): string => {
    const params = new URLSearchParams(source);
    return params.get("fieldPath") ?? params.get("path") ?? "";
  };

  const readText = (element: Element, node: Text): void => {
    const mark = MARK.exec(node.data)?.[0];
    const source = mark === undefined ? undefined : decode(mark);
    if (source === undefined) return;
    // that of the window is no place to go to
    if (!element.matches("title")) element.setAttribute(SOURCE, source);
    node.data = node.data.replace(new RegExp(MARK, "g"), "");
  };

  /** Marks in URLs may be escaped. */
  const unescapeMarks = (url: string): string =>
    url.replace(/%E2%80%8([BCD])|%EF%BB%BF/gi, (_, digit?: string) =>
      digit === undefined ? "\uFEFF" : DIGITS.charAt("BCD".indexOf(digit.toUpperCase())),
    );

  /** A file's URL leads to its field; an encoded link is repaired only. */
  const readAttribute = (element: Element, name: string): void => {
    const value = unescapeMarks(element.getAttribute(name) ?? "");
    const mark = MARK.exec(value)?.[0];
    const source = mark === undefined ? undefined : decode(mark);
    if (source === undefined) return;
    if (name === "src") element.setAttribute(SOURCE, source.replace(/(path=[^&]*)\.url(?=&|$)/, "$1"));
    else if (name === "alt" && !element.hasAttribute(SOURCE)) element.setAttribute(SOURCE, source);
    element.setAttribute(name, value.replace(new RegExp(MARK, "g"), ""));
  };

  const ATTRIBUTES = ["src", "alt", "href"];
  const LINKED = `${MEDIA}, a[href]`;
  const textsOf = ({ childNodes }: Element): Text[] => [...childNodes].filter((node) => node instanceof Text);
  const isMarked = (element: Element): boolean =>
    !element.matches(UNSEEN) &&
    (textsOf(element).some(({ data }) => MARK.test(data)) ||
      (element.matches(LINKED) &&
        ATTRIBUTES.some((name) => MARK.test(unescapeMarks(element.getAttribute(name) ?? "")))));

  /** React takes over the elements that a server has rendered one after another, and renders again what was changed before. */
  const hasReactKey = (target: object, prefix: string): boolean =>
    Object.keys(target).some((key) => key.startsWith(prefix));
  const usesReact = (): boolean =>
    [document, ...document.querySelectorAll("html, body, body > *")].some((node) => hasReactKey(node, "__react"));

  /** The elements that still have marks, and since when. */
  const waiting = new Map<Element, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readWaiting = (): void => {
    clearTimeout(timer);
    const isReact = usesReact();
    for (const [element, since] of waiting) {
      const isTakenOver = !isReact || hasReactKey(element, "__reactFiber$");
      if (!isTakenOver && Date.now() - since < TAKE_OVER_MS) continue;
      waiting.delete(element);
      for (const node of textsOf(element)) readText(element, node);
      for (const name of ATTRIBUTES) readAttribute(element, name);
      const change = changes.get(pathOf(element.getAttribute(SOURCE) ?? ""));
      if (change) show(element as HTMLElement, change);
    }
    if (waiting.size > 0) timer = setTimeout(readWaiting, 50);
  };
  const read = (elements: readonly (Element | null)[]): void => {
    for (const element of elements) if (element && isMarked(element)) waiting.set(element, Date.now());
    if (waiting.size > 0) readWaiting();
  };
  const elementsOf = (root: Node): readonly (Element | null)[] => {
    if (root instanceof Text) return [root.parentElement];
    return root instanceof Element ? [root, ...root.querySelectorAll("*")] : [];
  };

  const findElements = (field: string): HTMLElement[] =>
    [...document.querySelectorAll<HTMLElement>(`[${SOURCE}]`)].filter(
      (element) => pathOf(element.getAttribute(SOURCE) ?? "") === field,
    );

  const send = (type: string, payload?: object): void => window.parent.postMessage({ type, payload }, origin);

  const sendIntent = (element: Element): void => {
    const { top, left, right, bottom, width, height } = element.getBoundingClientRect();
    const position = { top, left, right, bottom, width, height };
    send("strapiFieldFocusIntent", { path: element.getAttribute(SOURCE), position });
  };

  let pending: { readonly element: Element; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  const onClick = (event: MouseEvent): void => {
    // one of a link that was clicked once
    if (!event.isTrusted || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const target = event.target as Element;
    const element = target.closest(`[${SOURCE}]`);
    if (!element) return send("strapiIframeClick");
    event.preventDefault();
    event.stopPropagation();
    const control = target.closest<HTMLElement>("a, button, summary, label");
    const isSecond = pending?.element === element;
    clearTimeout(pending?.timer);
    pending = undefined;
    if (!control || isSecond) return sendIntent(element);
    const timer = setTimeout(() => {
      pending = undefined;
      control.click();
    }, DOUBLE_CLICK_MS);
    pending = { element, timer };
  };

  /** `earlier`: what it may show so far. */
  const showText = (element: HTMLElement, value: unknown, earlier: readonly unknown[]): void => {
    const texts = earlier.map((text) => String(text ?? ""));
    const text = textsOf(element).find(({ data }) => texts.includes(data));
    if (text) text.data = String(value ?? "");
    else if (element.childNodes.length === 0 && texts.includes("")) element.append(String(value ?? ""));
  };

  const showFile = (element: HTMLElement, value: unknown): void => {
    const file = (Array.isArray(value) ? value[0] : value) as { readonly url?: unknown } | null | undefined;
    const url = typeof file?.url === "string" && URL.canParse(file.url) ? new URL(file.url) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) return;
    element.removeAttribute("srcset");
    element.setAttribute("src", url.href);
  };

  /** By field, with the saved values: sites render these again. */
  const changes = new Map<string, FieldMessage & { readonly saved: unknown }>();
  const show = (element: HTMLElement, { value, previous, saved, type }: FieldMessage & { readonly saved: unknown }) => {
    if (type === "media" && element.matches(MEDIA)) showFile(element, value);
    else if (typeof (value ?? "") === "string") showText(element, value, [previous, saved]);
  };

  const handlers: Readonly<Record<string, (message: FieldMessage) => void>> = {
    strapiFieldFocus: ({ field }) => {
      const elements = findElements(field);
      for (const element of elements) element.setAttribute(FOCUSED, "");
      elements[0]?.scrollIntoView({ block: "nearest" });
    },
    strapiFieldBlur: ({ field }) => {
      for (const element of findElements(field)) element.removeAttribute(FOCUSED);
    },
    strapiUpdate: () => changes.clear(),
    strapiFieldChange: (message) => {
      const { field, value, previous } = message;
      const change = { ...message, saved: changes.has(field) ? changes.get(field)?.saved : previous };
      changes.set(field, change);
      for (const element of findElements(field)) show(element, change);
      // a site that listens shows the rest of texts with a format itself
      window.dispatchEvent(new CustomEvent("strapiFieldChange", { detail: { field, value } }));
    },
  };

  const style = document.createElement("style");
  style.textContent = `[${SOURCE}]:hover { outline: 2px solid ${site.STRAPI_HIGHLIGHT_HOVER_COLOR ?? color}; outline-offset: 2px; cursor: pointer }
    [${FOCUSED}] { outline: 3px solid ${site.STRAPI_HIGHLIGHT_ACTIVE_COLOR ?? color}; outline-offset: 2px }`;
  document.head.append(style);
  const observer = new MutationObserver((records) =>
    read(
      records.flatMap(({ type, target, addedNodes }) => {
        if (type === "childList") return [...addedNodes].flatMap(elementsOf);
        return type === "attributes" ? [target as Element] : [target.parentElement];
      }),
    ),
  );
  if (!site.STRAPI_DISABLE_STEGA_DECODING) {
    read(elementsOf(document.documentElement));
    observer.observe(document, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
      attributeFilter: ATTRIBUTES,
    });
  }
  document.addEventListener("click", onClick, { capture: true, signal });
  window.addEventListener(
    "message",
    (event: MessageEvent) => {
      if (event.origin === origin) handlers[event.data?.type]?.(event.data.payload);
    },
    { signal },
  );
  site.endPreview = () => {
    ended.abort();
    observer.disconnect();
    style.remove();
    clearTimeout(pending?.timer);
    clearTimeout(timer);
  };
}

/** The script with its configuration, as a site adds it to its document. */
export const scriptText = (config: SiteConfig): string => `(${siteScript.toString()})(${JSON.stringify(config)})`;
