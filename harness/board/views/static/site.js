"use strict";
// What the board does beyond showing itself: tabs, sorting, filters, columns. Without this script
// every page is complete, and unsorted.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function made(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

// Tabs: one track at a time, by mouse, arrow keys, or the address of a row.
function tabs(list) {
  const links = all("a", list);
  const panels = links.map((link) => document.getElementById(link.hash.slice(1)));
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", list.parentElement.getAttribute("aria-label"));
  links.forEach((link, place) => {
    link.parentElement.setAttribute("role", "presentation");
    link.setAttribute("role", "tab");
    link.id = "tab-" + panels[place].id;
    link.setAttribute("aria-controls", panels[place].id);
    panels[place].setAttribute("role", "tabpanel");
  });
  function open(chosen) {
    links.forEach((link, place) => {
      link.setAttribute("aria-selected", place === chosen);
      link.tabIndex = place === chosen ? 0 : -1;
      panels[place].hidden = place !== chosen;
    });
  }
  function follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const chosen = panels.findIndex((panel) => target && panel.contains(target));
    open(Math.max(chosen, 0));
    if (chosen >= 0 && target !== panels[chosen]) target.scrollIntoView({ block: "center" });
  }
  links.forEach((link, place) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open(place);
      history.replaceState(null, "", link.hash);
    });
    link.addEventListener("keydown", (event) => {
      const last = links.length - 1;
      const next = {
        ArrowRight: place === last ? 0 : place + 1,
        ArrowLeft: place === 0 ? last : place - 1,
        Home: 0,
        End: last,
      }[event.key];
      if (next === undefined) {
        if (event.key === " ") link.click();
        return;
      }
      event.preventDefault();
      links[next].click();
      links[next].focus();
    });
  });
  addEventListener("hashchange", follow);
  follow();
}

// Sorting: by what a column shows; figures downwards first, words upwards. Rows that only public
// tables have are sorted among themselves.
const figureOf = (text) => parseFloat(text.replace("−", "-"));

function order(one, other, column, down, figures) {
  const texts = [one, other].map((row) => sortedText(row.cells[column]));
  if (!figures) return (down ? -1 : 1) * texts[0].localeCompare(texts[1], "en");
  const [a, b] = texts.map(figureOf);
  // What was not computed comes last, whichever way.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return down ? b - a : a - b;
}

// A name is sorted without what stands beside it: notes, year and links.
function sortedText(cell) {
  return (cell.querySelector(".name") ?? cell).textContent.trim();
}

function sortable(table) {
  const heads = all("thead th", table);
  // Equal figures stand in the order of the page.
  const bodies = all("tbody", table).map((body) => [body, [...body.rows]]);
  heads.forEach((head, column) => {
    const button = made("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const figures = !head.classList.contains("w");
      const was = head.getAttribute("aria-sort");
      const first = head.dataset.sort === "up" || !figures ? "ascending" : "descending";
      const other = first === "ascending" ? "descending" : "ascending";
      const sort = was === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sort);
      for (const [body, rows] of bodies) {
        const dividers = rows.filter((row) => row.classList.contains("divider"));
        const sorted = rows.filter((row) => !row.classList.contains("divider"));
        sorted.sort((a, b) => order(a, b, column, sort === "descending", figures));
        body.append(...dividers, ...sorted);
      }
    });
  });
}

// Filters: a row is shown if it has all that is asked for.
function filters(form) {
  const [name, year, kind, signs] = ["name", "year", "kind", "signs"].map((each) =>
    document.getElementById("filter-" + each),
  );
  const told = document.getElementById("told");
  const rows = all("table.board tbody tr:not(.divider)");
  function wanted(row) {
    const shown = row.querySelector("th .name").textContent.toLowerCase();
    const reported = row.parentElement.classList.contains("reported");
    return (
      shown.includes(name.value.trim().toLowerCase()) &&
      (!year.value || row.dataset.year === year.value) &&
      (!kind.value || (kind.value === "reported") === reported) &&
      (!signs.value || (!reported && (signs.value === "some") === "signs" in row.dataset))
    );
  }
  function filter() {
    rows.forEach((row) => (row.hidden = !wanted(row)));
    const open = all("section.track");
    let found = 0;
    open.forEach((section) => {
      const shown = all("tbody tr:not(.divider):not([hidden])", section).length;
      found += shown;
      const count = document.querySelector(`.tabs a[href="#${section.id}"] .count`);
      count.textContent = shown;
      all("tbody", section).forEach((body) => {
        const divider = body.querySelector(".divider");
        if (divider) divider.hidden = !body.querySelector("tr:not(.divider):not([hidden])");
      });
    });
    told.textContent = found === rows.length ? "" : `${found} of ${rows.length} rows`;
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}

// Columns: those that a reader wants, of all tables that have them.
function columns(choices) {
  const tables = all("table.board");
  const titles = new Map();
  const narrow = matchMedia("(max-width: 60rem)").matches;
  for (const head of all("table.board thead th[data-shown]")) {
    const { column, shown } = head.dataset;
    const wanted = shown === "always" || (shown === "wide" && !narrow);
    const above = head.querySelector("small")?.textContent;
    const title = [...head.textContent.trim().split(/\s+/)].join(" ");
    const label = above ? `${title.slice(above.length).trim()} (${above})` : title;
    if (!titles.has(column)) titles.set(column, [label, wanted]);
  }
  function show(column, wanted) {
    for (const table of tables) {
      const place = all("thead th", table).findIndex((head) => head.dataset.column === column);
      if (place < 0) continue;
      for (const row of table.rows) {
        if (!row.classList.contains("divider")) row.cells[place].hidden = !wanted;
      }
    }
  }
  for (const [column, [label, wanted]] of titles) {
    const box = made("input", { type: "checkbox" });
    box.checked = wanted;
    box.addEventListener("change", () => show(column, box.checked));
    choices.append(made("label", {}, box, " " + label));
    show(column, wanted);
  }
}

// Comparing: the pair that is chosen, which the page's address names.
function comparing(form) {
  const { figures, systems, pairs } = JSON.parse(document.getElementById("pairs").textContent);
  const [a, b] = ["a", "b"].map((side) => document.getElementById("compare-" + side));
  const place = document.getElementById("compared");
  const keys = [...a.options].map((option) => option.value);

  function pairOf(one, other) {
    if (pairs[`${one}/${other}`]) return [pairs[`${one}/${other}`], 1];
    return [pairs[`${other}/${one}`], -1];
  }
  function row([name, [title, digits]], found, sign) {
    const [difference, p, ...alone] = found;
    const only = sign > 0 ? alone : alone.reverse();
    const value = sign * difference;
    const cells = [
      systems[a.value].figures[name],
      systems[b.value].figures[name],
      (value > 0 ? "+" : "") + value.toFixed(digits).replace("-", "−"),
      p,
      only[0] ?? "–",
      only[1] ?? "–",
      p.startsWith("<") || Number(p) < 0.05 ? "told apart" : "cannot be told apart",
    ];
    const line = made("tr", {}, made("th", { scope: "row" }, title));
    line.append(...cells.map((cell) => made("td", {}, String(cell))));
    return line;
  }
  function show() {
    const [one, other] = [a, b].map((select) => systems[select.value].name);
    const [pair, sign] = pairOf(a.value, b.value);
    if (!pair) {
      const why = a.value === b.value
        ? "Choose two different systems."
        : `${one} and ${other} do not compare: one was given gold belief states, or their ` +
          "signatures differ otherwise.";
      place.replaceChildren(made("p", {}, why));
      return;
    }
    const [dialogues, ...found] = pair;
    const caption = `${one} and ${other}, on the ${dialogues} dialogues that both play`;
    const titles = ["Figure", one, other, "Difference", "p", `Only ${one}`, `Only ${other}`, "Verdict"];
    const head = made("tr", {}, ...titles.map((title) => made("th", { scope: "col" }, title)));
    const body = Object.entries(figures).map((figure, at) => row(figure, found[at], sign));
    const table = made("table", { class: "w8" }, made("caption", {}, made("span", {}, caption)));
    table.append(made("thead", {}, head), made("tbody", {}, ...body));
    const box = { class: "scroll", tabindex: 0, role: "region", "aria-label": caption };
    place.replaceChildren(made("div", box, table));
  }
  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const known = ["a", "b"].map((side) => (keys.includes(asked.get(side)) ? asked.get(side) : ""));
    a.value = known[0] || keys[0];
    b.value = known[1] || keys.find((key) => key !== a.value && pairOf(a.value, key)[0]) || keys[0];
    show();
  }
  form.addEventListener("change", () => {
    history.replaceState(null, "", "#" + new URLSearchParams({ a: a.value, b: b.value }));
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  form.hidden = false;
  follow();
}

const form = document.getElementById("filters");
if (form) {
  columns(document.querySelector("#columns .choices"));
  all("table.board").forEach(sortable);
  filters(form);
  tabs(document.querySelector(".tabs ul"));
}
const chosen = document.getElementById("compare");
if (chosen) comparing(chosen);
