"use strict";
// What the pages do beyond showing themselves: tabs, sorting, filters, columns, comparisons, and an
// address for each of them. Without this script every page is complete, and unsorted.

document.documentElement.classList.add("js");

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);

function made(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

// The address of what is shown, behind the mark: `track-or-row?what=chosen`.
function address() {
  const [anchor, query = ""] = location.hash.slice(1).split("?");
  let place = "";
  try {
    place = decodeURIComponent(anchor);
  } catch {
    // A damaged address leads to no place, as an unknown one does.
  }
  return [place, new URLSearchParams(query)];
}

function setAddress(anchor, params, push) {
  const query = String(params);
  const hash = "#" + anchor + (query ? "?" + query : "");
  if (hash !== location.hash) history[push ? "pushState" : "replaceState"](null, "", hash);
}

// Where the address says what is shown, links within the page lead there without changing it.
function leadWithin() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = byId(link.getAttribute("href").slice(1));
    if (!target) return;
    event.preventDefault();
    unfold(target);
    if (target.tabIndex < 0) target.tabIndex = -1;
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  });
}

function unfold(target) {
  const folded = target.closest("details");
  if (folded) folded.open = true;
}

// Show which parts of the address the page does not have.
function tellUnknown(text) {
  byId("unknown").textContent = text;
  byId("unknown").hidden = !text;
}

function onAddress(read) {
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
  read();
}

// Tabs: one track at a time, by mouse, arrow keys, or the address of a row. Returns a function that
// opens what holds an element, and one that tells what is open.
function tabs(list, changed) {
  const links = all("a", list);
  const panels = links.map((link) => byId(link.hash.slice(1)));
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", list.parentElement.getAttribute("aria-label"));
  links.forEach((link, place) => {
    link.parentElement.setAttribute("role", "presentation");
    link.setAttribute("role", "tab");
    link.id = "tab-" + panels[place].id;
    link.setAttribute("aria-controls", panels[place].id);
    panels[place].setAttribute("role", "tabpanel");
  });
  let current = 0;
  function open(chosen) {
    current = chosen;
    links.forEach((link, place) => {
      link.setAttribute("aria-selected", place === chosen);
      link.tabIndex = place === chosen ? 0 : -1;
      panels[place].hidden = place !== chosen;
    });
    // Where tabs are in one line that scrolls, what is open is in sight.
    const link = links[chosen];
    if (list.scrollWidth > list.clientWidth) list.scrollLeft = link.offsetLeft - 16;
  }
  function follow(anchor) {
    const target = byId(anchor);
    const chosen = panels.findIndex((panel) => target && panel.contains(target));
    open(Math.max(chosen, 0));
    if (chosen < 0 || target === panels[chosen]) return;
    unfold(target);
    target.scrollIntoView({ block: "center" });
  }
  links.forEach((link, place) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open(place);
      changed();
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
  return [follow, () => panels[current]];
}

// Sorting: by what a column shows; figures downwards first, words upwards. Rows that only public
// tables have are sorted among themselves. One table at a time is in another order than its own.
const figureOf = (text) => parseFloat(text.replace("−", "-").replace("≥", ""));

function order(one, other, column, down, figures) {
  const cells = [one, other].map((row) => row.cells[column]);
  const texts = cells.map(sortedText);
  // What is not known comes last, whichever way.
  const empty = texts.map((text) => (figures ? Number.isNaN(figureOf(text)) : !text || text === "–"));
  if (empty[0] || empty[1]) return empty[0] - empty[1];
  const [a, b] = figures ? texts.map(figureOf) : cells.map(markOf);
  const result = a - b || (figures ? 0 : texts[0].localeCompare(texts[1], "en"));
  return down ? -result : result;
}

// Words that speak for a row come before others, and those that speak against it after them.
const markOf = ({ classList }) => classList.contains("bad") - classList.contains("good");

// A name is sorted without what stands beside it: notes, year and links.
function sortedText(cell) {
  return (cell.querySelector(".name") ?? cell).textContent.trim();
}

function sorting(changed) {
  const tables = new Map(all("table.board").map((table) => [table.dataset.table, table]));
  const resets = new Map();
  let sorted = null;
  const isDown = (head) => head.getAttribute("aria-sort") === "descending";
  function sort(table, head, down) {
    const heads = all("thead th", table);
    const figures = !head.classList.contains("w");
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.classList.add("sorted");
    for (const [body, rows] of resets.get(table)) {
      const dividers = rows.filter((row) => row.classList.contains("divider"));
      const others = rows.filter((row) => !row.classList.contains("divider"));
      others.sort((a, b) => order(a, b, heads.indexOf(head), down, figures));
      body.append(...dividers, ...others);
    }
    sorted = [table, head];
  }
  function reset() {
    if (!sorted) return;
    const [table, head] = sorted;
    sorted = null;
    head.removeAttribute("aria-sort");
    table.querySelector("th.rank")?.setAttribute("aria-sort", "ascending");
    table.classList.remove("sorted");
    for (const [body, rows] of resets.get(table)) body.append(...rows);
  }
  for (const table of tables.values()) {
    resets.set(table, all("tbody", table).map((body) => [body, [...body.rows]]));
    for (const head of all("thead th", table)) {
      const button = made("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const upFirst = head.dataset.sort === "up" || head.classList.contains("w");
        const again = head.hasAttribute("aria-sort");
        const down = again ? !isDown(head) : !upFirst;
        reset();
        // The order of the page is that by rank.
        if (!head.classList.contains("rank") || down) sort(table, head, down);
        changed();
      });
    }
  }
  return {
    write(params) {
      if (!sorted) return;
      const [table, head] = sorted;
      params.set("sort", `${isDown(head) ? "-" : ""}${table.dataset.table}.${head.dataset.column}`);
    },
    read(params) {
      reset();
      const text = params.get("sort") ?? "";
      const at = text.indexOf(".");
      const table = tables.get(text.slice(0, at).replace(/^-/, ""));
      const head = table && all("thead th", table).find((each) => each.dataset.column === text.slice(at + 1));
      if (head) sort(table, head, text.startsWith("-"));
      return text && !head ? [`sort “${text}”`] : [];
    },
  };
}

// Filters: a row is shown if it has all that is asked for.
function filters(form, changed, openPanel) {
  const names = ["name", "year", "kind"];
  const inputs = names.map((each) => byId("filter-" + each));
  const [name, year, kind] = inputs;
  const [status, undo] = [byId("told"), byId("undo")];
  const rows = all("table.board tbody tr:not(.divider)");
  // The systems of some rows, each once: tables of a track may share them.
  const systemsOf = (matches) =>
    new Set(
      matches
        .filter((row) => kind.value === "reported" || row.matches(".scored, .unavailable"))
        .map((row) => row.querySelector(".name").textContent),
    ).size;
  const counted = (matches) => matches.filter((row) => !row.classList.contains("reference")).length;
  function wanted(row) {
    // What is no system has nothing that is asked for.
    if (row.classList.contains("reference")) return inputs.every((input) => !input.value);
    const text = row.querySelector("th .name").textContent.toLowerCase();
    const reported = row.parentElement.classList.contains("reported");
    return (
      text.includes(name.value.trim().toLowerCase()) &&
      (!year.value || row.dataset.year === year.value) &&
      (!kind.value || (kind.value === "reported") === reported)
    );
  }
  function filter() {
    rows.forEach((row) => (row.hidden = !wanted(row)));
    let count = 0;
    for (const section of all("section.track")) {
      const visible = all("table.board tbody tr:not(.divider):not([hidden])", section);
      count += counted(visible);
      document.querySelector(`.tabs a[href="#${section.id}"] .count`).textContent = systemsOf(visible);
      for (const body of all("tbody", section)) {
        const divider = body.querySelector(".divider");
        if (divider) divider.hidden = !body.querySelector("tr:not(.divider):not([hidden])");
      }
    }
    const active = inputs.filter((input) => input.value);
    const folded = active.filter((input) => input !== name).length;
    document.querySelector("#more-filters .count").textContent = folded ? ` (${folded})` : "";
    undo.hidden = !active.length;
    tell(count);
  }
  function tell(count) {
    const here = all("table.board tbody tr:not(.divider):not([hidden])", openPanel()).length;
    const none = here ? "" : count ? "; none in this track" : "; no row matches";
    status.textContent = undo.hidden ? "" : `${count} of ${counted(rows)} rows${none}`;
  }
  form.addEventListener("input", (event) => {
    if (!inputs.includes(event.target)) return;
    filter();
    changed(event.target !== name);
  });
  undo.addEventListener("click", () => {
    inputs.forEach((input) => (input.value = ""));
    filter();
    name.focus();
    changed();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  return {
    filter,
    write: (params) => names.forEach((each, at) => inputs[at].value && params.set(each, inputs[at].value)),
    read(params) {
      const unknown = [];
      names.forEach((each, at) => {
        const value = params.get(each) ?? "";
        inputs[at].value = value;
        if (inputs[at].value === value) return;
        inputs[at].value = "";
        unknown.push(`${each} “${value}”`);
      });
      filter();
      return unknown;
    },
  };
}

// Columns: those that a reader wants, chosen for each track by itself. A phone has room for two of
// those that a table begins with.
function columns(choices, changed, openPanel) {
  const phone = matchMedia("(max-width: 40rem)");
  const boxes = new Map();
  const chosen = new Map();
  for (const head of all("table.board thead th[data-shown]")) {
    const track = head.closest("section").id;
    const key = `${track}.${head.dataset.column}`;
    if (!boxes.has(key)) {
      const above = head.querySelector("small")?.textContent ?? "";
      const title = head.dataset.title;
      const box = made("input", { type: "checkbox" });
      const label = made("label", {}, box, " " + title);
      const one = { box, label, above, track, heads: [] };
      boxes.set(key, one);
      box.addEventListener("change", () => {
        if (box.checked === isUsual(one.heads[0])) chosen.delete(key);
        else chosen.set(key, box.checked);
        changed();
      });
    }
    boxes.get(key).heads.push(head);
  }
  // Whether a table begins with a column; a box says so of the first table that has it.
  function isUsual(head) {
    if (!phone.matches) return head.dataset.shown === "always";
    return all('[data-shown="always"]', head.parentElement).slice(0, 2).includes(head);
  }
  function show() {
    const ofTrack = [...boxes.values()].filter(({ track }) => track === openPanel().id);
    // What stays in its place keeps the focus.
    if (choices.querySelector("label") !== ofTrack[0]?.label) {
      const groups = new Map(ofTrack.map(({ above }) => [above, made("fieldset", {}, made("legend", {}, above))]));
      for (const { above, label } of ofTrack) groups.get(above).append(label);
      choices.replaceChildren(...groups.values());
    }
    for (const [key, { box, heads }] of boxes) {
      box.checked = chosen.get(key) ?? isUsual(heads[0]);
      for (const head of heads) {
        const hidden = !(chosen.get(key) ?? isUsual(head));
        if (head.hidden === hidden) continue;
        for (const row of head.closest("table").rows) {
          if (!row.classList.contains("divider")) row.cells[head.cellIndex].hidden = hidden;
        }
      }
    }
  }
  const sides = [["show", true], ["hide", false]];
  phone.addEventListener("change", show);
  return {
    show,
    write(params) {
      for (const [name, wanted] of sides) {
        const keys = [...chosen.keys()].filter((key) => chosen.get(key) === wanted);
        if (keys.length) params.set(name, keys.join(";"));
      }
    },
    read(params) {
      const unknown = [];
      chosen.clear();
      for (const [name, wanted] of sides) {
        for (const key of (params.get(name) ?? "").split(";").filter(Boolean)) {
          if (boxes.has(key)) chosen.set(key, wanted);
          else unknown.push(`column “${key}”`);
        }
      }
      show();
      return unknown;
    },
  };
}

// Comparing from the board: a box in each row that the page of comparisons knows.
function marking(link, most) {
  const boxes = all("tr[data-key]").map((row) => {
    const name = row.querySelector(".name").textContent;
    const box = made("input", { type: "checkbox", "aria-label": `Compare ${name}`, value: row.dataset.key });
    row.cells[0].append(box);
    return box;
  });
  function show() {
    const keys = [...new Set(boxes.filter((box) => box.checked).map((box) => box.value))];
    boxes.forEach((box) => (box.disabled = !box.checked && keys.length >= most));
    link.hidden = keys.length < 2;
    link.textContent = `Compare ${keys.length} systems`;
    link.href = `compare.html#${keys.join(",")}`;
  }
  document.addEventListener("change", ({ target }) => boxes.includes(target) && show());
  // Whoever comes back finds the boxes as they were.
  addEventListener("pageshow", show);
}

// Tables that fit into the page scroll with it, and keep their titles in sight; others scroll by
// themselves, and keep theirs.
function fit() {
  for (const box of all(".scroll:has(> table.board)")) {
    if (!box.clientWidth) continue;
    box.classList.remove("fits", "tall");
    const fits = box.scrollWidth <= box.clientWidth;
    box.classList.toggle("fits", fits);
    box.classList.toggle("tall", !fits && box.scrollHeight > innerHeight);
  }
}

function boardPage(form) {
  let parts = [];
  function changed(push = true) {
    const params = new URLSearchParams();
    parts.forEach((part) => part.write(params));
    setAddress(panel().id, params, push);
    tellUnknown("");
    filtering.filter();
    choosing.show();
    fit();
  }
  const [follow, panel] = tabs(document.querySelector(".tabs ul"), changed);
  const filtering = filters(form, changed, panel);
  const choosing = columns(document.querySelector("#columns .choices"), changed, panel);
  parts = [choosing, sorting(changed), filtering];
  const parameters = ["show", "hide", "sort", "name", "year", "kind"];
  onAddress(() => {
    const [anchor, params] = address();
    follow(anchor);
    const unknown = parts.flatMap((part) => part.read(params));
    unknown.push(...[...params.keys()].filter((key) => !parameters.includes(key)).map((key) => `“${key}”`));
    if (anchor && !byId(anchor)) unknown.unshift(`track or system “${anchor}”`);
    tellUnknown(unknown.length ? `Unknown in the address, and ignored: ${unknown.join(", ")}.` : "");
    fit();
  });
  addEventListener("resize", fit);
  const link = byId("compare-marked");
  if (link) marking(link, Number(link.dataset.most));
  // What lies above the page closes when a reader goes on.
  const menus = all(".filters details");
  document.addEventListener("click", (event) =>
    menus.forEach((menu) => menu.contains(event.target) || (menu.open = false)),
  );
  form.addEventListener("keydown", (event) => {
    const menu = event.target.closest("details");
    if (event.key !== "Escape" || !menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// Comparing: the systems that are chosen, which the page's address names.
function comparing(form) {
  const { figures, systems, pairs, apart } = JSON.parse(byId("pairs").textContent);
  const selects = all("select", form);
  const place = byId("compared");
  const options = [...selects[0].options].map((option) => option.value);
  const chosen = () => [...new Set(selects.map((select) => select.value).filter(Boolean))];
  const minus = (text) => text.replace("-", "−");

  function tableOf(caption, titles, rows) {
    const head = titles.map((title) => made("th", { scope: "col" }, title));
    const body = rows.map(([title, ...cells]) => {
      const line = made("tr", {}, made("th", { scope: "row" }, title));
      line.append(...cells.map((cell) => (cell instanceof Node ? cell : made("td", {}, cell))));
      return line;
    });
    const table = made("table");
    table.append(made("caption", {}, made("span", {}, caption)));
    table.append(made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...body));
    const box = { class: "scroll", tabindex: 0, role: "region", "aria-label": caption };
    return made("div", box, table);
  }
  function pairOf(one, other) {
    if (pairs[`${one}/${other}`]) return [pairs[`${one}/${other}`], 1];
    return [pairs[`${other}/${one}`], -1];
  }
  const reasonOf = (one, other) =>
    Object.keys(apart).find((why) =>
      [`${one}/${other}`, `${other}/${one}`].some((pair) => apart[why].includes(pair)),
    );
  // How two systems differ: a cell per figure, and whether the last one differs significantly.
  function difference(one, other) {
    const title = `${systems[one].name} minus ${systems[other].name}`;
    const [pair, sign] = pairOf(one, other);
    if (!pair) {
      const span = Object.keys(figures).length + 1;
      const why = `not comparable: ${reasonOf(one, other)}`;
      return [title, made("td", { class: "w", colspan: span }, why)];
    }
    const [dialogues, ...differences] = pair;
    const cells = Object.values(figures).map(([, digits], at) => {
      const [, p, ...alone] = differences[at];
      const only = sign > 0 ? alone : [...alone].reverse();
      const detail = `p ${/^[<>]/.test(p) ? p : "= " + p}` + (only.length ? `, ${only.join(" : ")}` : "");
      const [text, style] = signedText(differences[at], sign, digits);
      return made("td", style, text, " ", made("small", {}, detail));
    });
    return [title, made("td", {}, String(dialogues)), ...cells];
  }
  // A difference, and how it is shown.
  function signedText([value, p], sign, digits) {
    const text = minus((sign * value > 0 ? "+" : "") + (sign * value).toFixed(digits));
    return isDistinct(p) ? [text, {}] : ["≈ " + text, { class: "near" }];
  }
  const isDistinct = (p) => p.startsWith("<") || Number(p) < 0.05;
  // All pairs by another figure.
  function showAll(figure) {
    const at = Object.keys(figures).indexOf(figure);
    const keyOf = new Map(Object.entries(systems).map(([key, { name }]) => [name, key]));
    for (const table of all("#all ~ .scroll table")) {
      const keys = all("thead th", table).map((head) => keyOf.get(head.textContent.trim()));
      for (const row of table.tBodies[0].rows) {
        const one = keyOf.get(row.cells[0].textContent.trim());
        [...row.cells].slice(1).forEach((cell, place) => {
          const [pair, sign] = pairOf(one, keys[place + 1]);
          if (!pair || !cell.textContent.trim()) return;
          const [text, style] = signedText(pair[at + 1], sign, figures[figure][1]);
          cell.replaceWith(made("td", style, text));
        });
      }
    }
  }
  function show() {
    const keys = chosen();
    // The command refuses what does not compare with the first.
    const alike = keys.filter((key) => key === keys[0] || pairOf(keys[0], key)[0]);
    byId("command").textContent = `mwz compare ${alike.join(" ")} mine.json`;
    if (keys.length < 2) {
      place.replaceChildren(made("p", {}, "Choose two different systems."));
      return;
    }
    const names = keys.map((key) => systems[key].name);
    const titles = Object.entries(figures);
    const scores = titles.map(([name, [title]]) => [title, ...keys.map((key) => systems[key].figures[name])]);
    const two = keys.flatMap((one, at) => keys.slice(at + 1).map((other) => difference(one, other)));
    const heads = ["Systems", "Dialogues", ...titles.map(([, [title]]) => title)];
    const only = "small: p-value, then in how many dialogues only the first system succeeds : only the second";
    const domains = [...new Set(keys.flatMap((key) => Object.keys(systems[key].domains)))].sort();
    const causes = [...new Set(keys.flatMap((key) => Object.keys(systems[key].causes)))];
    const lost = (key, cause) => systems[key].causes[cause] ?? 0;
    const worst = (cause) => Math.max(...keys.map((key) => lost(key, cause)));
    causes.sort((a, b) => worst(b) - worst(a));
    place.replaceChildren(
      tableOf("Scores with 95 % intervals; ≥: missing dialogues count as failures", ["Figure", ...names], scores),
      tableOf(`Differences; ≈: not significant; ${only}`, heads, two),
      tableOf(
        "Inform / Success by domain, in percent of its dialogues that the system plays",
        ["Domain", ...names],
        domains.map((domain) => [
          domain,
          ...keys.map((key) => (systems[key].domains[domain] ?? []).map((rate) => rate.toFixed(1)).join(" / ") || "–"),
        ]),
      ),
      tableOf(
        "Points of Success lost to each cause",
        ["Cause", ...names],
        causes.filter((cause) => worst(cause) > 0).map((cause) => [
          cause,
          ...keys.map((key) => lost(key, cause).toFixed(1)),
        ]),
      ),
    );
  }
  function follow() {
    const names = address()[0].split(",").filter(Boolean);
    const valid = [...new Set(names.filter((key) => options.includes(key)))];
    // An address may also be that of a place on this page.
    const unknown = names.filter((key) => !options.includes(key) && !byId(key)).map((key) => `“${key}”`);
    const problems = [];
    if (unknown.length) problems.push(`Cannot compare ${unknown.join(", ")}: choose from the lists above.`);
    if (valid.length > selects.length) problems.push(`Only ${selects.length} systems fit; the others are left out.`);
    tellUnknown(problems.join(" "));
    const one = valid[0] ?? options[0];
    const next = options.find((key) => key !== one && pairOf(one, key)[0]) ?? one;
    selects.forEach((select, at) => (select.value = valid[at] ?? [one, next][at] ?? ""));
    show();
  }
  form.addEventListener("change", () => {
    tellUnknown("");
    setAddress(chosen().join(","), "", true);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  const by = byId("by");
  by.addEventListener("change", () => showAll(by.value));
  by.parentElement.hidden = false;
  onAddress(follow);
}

// Commands and the like are copied by a button, where the browser lets pages copy.
function copyable(box) {
  const button = made("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    const text = box.querySelector("code").textContent;
    const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    button.textContent = done ? "Copied" : "Select and copy";
    if (!done) getSelection().selectAllChildren(box.querySelector("code"));
  });
  box.append(button);
}

const form = byId("filters");
if (document.querySelector(".filters, .outcome")) leadWithin();
if (form) boardPage(form);
const chosen = byId("compare");
if (chosen) comparing(chosen);
all(".command").forEach(copyable);
addEventListener("beforeprint", () => all("main details:not(.filters *)").forEach((folded) => (folded.open = true)));
