// The manual's search: everything else works without it. The entries are loaded with the first search, also from a disk.
const input = document.querySelector(".search input");
const list = document.querySelector("#found");
const MOST = 12;
let entries;
let loading;

globalThis.found = (loaded) => {
  entries = loaded.map((entry) => ({
    ...entry,
    name: `${entry.title} ${entry.heading}`.toLowerCase(),
    words: entry.text.toLowerCase(),
  }));
};

function load() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "search.js";
    script.addEventListener("load", resolve);
    document.head.append(script);
  });
  return loading;
}

/** Whether a text has a word, and not only as a part of another. */
const isWord = (text, word) => text.split(/[^\p{L}\p{N}_$-]+/u).includes(word);

/** What has all words; those in titles and headings first, and whole words before parts of words. */
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const score = ({ name, words: body }) => {
    let sum = 0;
    for (const word of words) {
      if (name.includes(word)) sum += 10;
      else if (body.includes(word)) sum += isWord(body, word) ? 2 : 1;
      else return 0;
    }
    return sum;
  };
  return entries
    .map((entry) => ({ entry, points: score(entry) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MOST)
    .map(({ entry }) => ({ entry, word: words.find((one) => entry.words.includes(one)) }));
}

function excerpt({ text, words }, word) {
  const at = word === undefined ? 0 : words.indexOf(word);
  // whole words at both ends
  const start = at <= 40 ? 0 : text.lastIndexOf(" ", at - 40) + 1;
  const space = text.indexOf(" ", start + 110);
  const end = space < 0 ? text.length : space;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function show(results) {
  list.replaceChildren(
    ...results.map(({ entry, word }, at) => {
      const item = document.createElement("li");
      item.id = `found-${at}`;
      item.setAttribute("role", "option");
      const link = document.createElement("a");
      link.href = `${entry.page}.html${entry.id === "" ? "" : `#${entry.id}`}`;
      link.tabIndex = -1;
      const name = document.createElement("strong");
      name.textContent = entry.heading === "" ? entry.title : `${entry.title}: ${entry.heading}`;
      const text = document.createElement("span");
      text.textContent = excerpt(entry, word);
      link.append(name, text);
      item.append(link);
      return item;
    }),
  );
  if (results.length === 0) {
    const item = document.createElement("li");
    item.textContent = "Nothing was found";
    list.append(item);
  }
  select(results.length > 0 ? 0 : undefined);
}

function open(isOpen) {
  list.hidden = !isOpen;
  input.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) input.removeAttribute("aria-activedescendant");
}

const options = () => [...list.querySelectorAll("[role=option]")];
const selected = () => options().findIndex((item) => item.getAttribute("aria-selected") === "true");

function select(at) {
  const items = options();
  for (const [index, item] of items.entries()) item.setAttribute("aria-selected", String(index === at));
  if (at === undefined) input.removeAttribute("aria-activedescendant");
  else {
    input.setAttribute("aria-activedescendant", items[at].id);
    items[at].scrollIntoView({ block: "nearest" });
  }
}

input.addEventListener("input", async () => {
  if (input.value.trim() === "") return open(false);
  await load();
  show(search(input.value));
  open(input.value.trim() !== "");
});

const keys = {
  ArrowDown: (at, count) => select((at + 1) % count),
  ArrowUp: (at, count) => select((at + count - 1) % count),
  Enter: (at) => {
    options()[at]?.querySelector("a").click();
    open(false);
  },
};

input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    open(false);
    input.value = "";
    return;
  }
  const count = options().length;
  if (list.hidden || count === 0 || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key](selected(), count);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target === input) return;
  event.preventDefault();
  input.focus();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) open(false);
});
