/**
 * The document as the root of CodeMirror. It hides the document's head: CodeMirror then adds its styles as a constructed sheet,
 * and not as a `<style>` element, which the page's policy forbids. In a shadow root each key would cost more, since browsers
 * compute a selection anew whenever one of its properties is read there.
 */
const members = {
  nodeType: Node.DOCUMENT_NODE,
  ownerDocument: document,
  get activeElement(): Element | null {
    return document.activeElement;
  },
  get adoptedStyleSheets(): CSSStyleSheet[] {
    return document.adoptedStyleSheets;
  },
  set adoptedStyleSheets(sheets: CSSStyleSheet[]) {
    document.adoptedStyleSheets = sheets;
  },
  getSelection: (): Selection | null => document.getSelection(),
};

export const documentRoot = members as unknown as Document;
