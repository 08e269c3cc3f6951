"use strict";
// What the pages of dialogues do beyond showing themselves, with the help of site.js: filters of the
// index, and a choice of systems. The address says what is chosen. Without it every page is complete.
{
  const params = () => new URLSearchParams(location.hash.slice(1));
  const number = (mark) => BigInt("0x" + (mark || "0"));

  function ones(mask) {
    return mask.toString(2).replaceAll("0", "").length;
  }

  // The index. A mark is a number with a bit per system, in the order of the choice.
  function choosing(form) {
    const fields = ["system", "outcome", "other", "domain", "cause", "order"];
    const [system, outcome, other, domain, cause, order] = fields.map((name) =>
      byId("choose-" + name),
    );
    const status = byId("chosen");
    const body = document.querySelector("#dialogues tbody");
    const names = [...system.options].slice(1).map((option) => option.text);
    const domains = [...domain.options].slice(1).map((option) => option.value);
    const causes = Object.fromEntries([...cause.options].map((o) => [o.dataset.letter, o.value]));
    const titles = Object.fromEntries([...cause.options].map((o) => [o.value, o.text]));
    const everyone = (1n << BigInt(names.length)) - 1n;
    const usual = body.parentElement.dataset.played;
    const rows = [...body.rows].map((row) => {
      const { played, w: won, l: lost } = row.dataset;
      const codes = (lost ?? "").split(" ").filter(Boolean).map((code) => {
        const [, place, letter, mask] = code.match(/^(\d+)([a-z])(.+)$/);
        return { domain: domains[place], cause: causes[letter], who: number(mask) };
      });
      return { row, players: number(played ?? usual), won: number(won), codes, goal: row.cells[2].textContent.split(" ") };
    });

    const bit = (select) => (select.selectedIndex ? 1n << BigInt(select.selectedIndex - 1) : 0n);

    function wanted({ players, won, codes, goal }) {
      const mask = bit(system) || everyone;
      const failed = players & ~won;
      // Of all systems, exactly one does; or the chosen one does, and those it is compared with do not.
      function only(who) {
        if (mask === everyone) return ones(who) === 1;
        const others = players & (bit(other) || everyone & ~mask);
        return (who & mask) !== 0n && others !== 0n && (who & others) === 0n;
      }
      const fitsOutcome = {
        "": (players & mask) !== 0n,
        won: (won & mask) !== 0n,
        lost: (failed & mask) !== 0n,
        only: only(won),
        not: only(failed),
      }[outcome.value];
      const fits = (code) =>
        code.cause === cause.value &&
        (!domain.value || code.domain === domain.value) &&
        (code.who & mask) !== 0n;
      return (
        fitsOutcome &&
        (!domain.value || goal.includes(domain.value)) &&
        (!cause.value || codes.some(fits))
      );
    }

    // The systems that succeed, and why the others fail, below the row.
    function details({ players, won, codes }) {
      const has = (mask, place) => ((mask >> BigInt(place)) & 1n) === 1n;
      const good = names.filter((_, place) => has(won, place));
      const bad = names.flatMap((name, place) => {
        if (!has(players & ~won, place)) return [];
        const why = codes.filter((code) => has(code.who, place));
        const words = why.map((code) => `${code.domain} ${titles[code.cause]}`).join(", ");
        return [made("li", {}, made("b", {}, name), words ? ` ${words}` : "")];
      });
      const cell = made("td", { colspan: 5 });
      if (good.length) cell.append(made("p", {}, made("b", {}, "Succeed: "), good.join(", ")));
      if (bad.length) cell.append(made("p", {}, made("b", {}, "Fail:")), made("ul", {}, ...bad));
      return made("tr", { class: "details" }, cell);
    }
    for (const one of rows) {
      const title = one.row.cells[0];
      if (title.querySelector("a")) continue;
      const button = made("button", { type: "button", "aria-expanded": "false" }, title.textContent);
      title.replaceChildren(button);
      button.addEventListener("click", () => {
        const open = button.getAttribute("aria-expanded") === "true";
        button.setAttribute("aria-expanded", !open);
        if (open) one.row.nextElementSibling.remove();
        else one.row.after(details(one));
      });
    }

    function show(unknown = []) {
      // A system is not compared with itself.
      for (const option of [...other.options].slice(1)) {
        option.hidden = option.disabled = option.value === system.value;
      }
      if (other.value === system.value) other.value = "";
      all(".details", body).forEach((row) => row.remove());
      all("button", body).forEach((button) => button.setAttribute("aria-expanded", "false"));
      // A second system is chosen only for what just one of the two does.
      other.parentElement.hidden = !(system.value && ["only", "not"].includes(outcome.value));
      let count = 0;
      for (const one of rows) {
        one.row.hidden = !wanted(one);
        count += !one.row.hidden;
        const link = one.row.querySelector("a");
        const selects = [system, other].filter((one) => one.value && !one.parentElement.hidden);
        if (link) link.hash = String(new URLSearchParams(selects.map((one) => ["system", one.value])));
      }
      const sorted = [...rows];
      if (order.value) sorted.sort((a, b) => ones(a.won) - ones(b.won));
      body.append(...sorted.map((one) => one.row));
      const none = `None of ${rows.length} dialogues; set a filter to “any” to see more.`;
      const strange = unknown.length ? `Unknown ${unknown.join(", ")}: choose from the lists. ` : "";
      status.textContent = strange + (count ? `${count} of ${rows.length} dialogues` : none);
    }
    function follow() {
      const values = params();
      const unknown = [];
      for (const name of fields) {
        const field = byId("choose-" + name);
        const value = values.get(name) ?? "";
        field.value = value;
        if (field.value === value) continue;
        field.value = "";
        unknown.push(`${name} “${value}”`);
      }
      show(unknown);
    }
    form.addEventListener("input", () => {
      show();
      const chosen = fields.map((name) => [name, byId("choose-" + name).value]);
      setAddress(String(new URLSearchParams(chosen.filter(([, value]) => value))), "", true);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    onAddress(follow);
  }

  // A dialogue: the systems that stand side by side, beside the reference.
  function reading(outcome, talk) {
    const rows = [...outcome.tBodies[0].rows];
    const checked = (row) => row.querySelector("input").checked;
    const boxes = new Map();
    rows.forEach((row, place) => {
      if (!place) return;
      const title = row.cells[0];
      const box = made("input", { type: "checkbox" });
      const name = title.textContent.trim();
      title.replaceChildren(made("label", {}, box, " " + name));
      boxes.set(name, [box, place]);
    });
    function show() {
      const visible = new Set([0]);
      for (const [box, place] of boxes.values()) if (box.checked) visible.add(place);
      for (const row of all("tr:not(.user)", talk)) {
        [...row.cells].forEach((cell, place) => (cell.hidden = !visible.has(place)));
      }
      all(".user th", talk).forEach((cell) => (cell.colSpan = visible.size));
      const names = [...boxes.keys()].filter((name) => boxes.get(name)[0].checked);
      const hash = String(new URLSearchParams((names.length ? names : [""]).map((n) => ["system", n])));
      all("a.stay").forEach((link) => (link.hash = hash));
      return hash;
    }
    function follow() {
      const names = params().getAll("system");
      const valid = names.filter((name) => !name || boxes.has(name));
      const chosen = valid.length ? valid : [...boxes.keys()].slice(0, 3);
      for (const [name, [box]] of boxes) box.checked = chosen.includes(name);
      talk.classList.add("chosen");
      // What is chosen stands first, below the reference.
      rows.slice(1).sort((a, b) => checked(b) - checked(a)).forEach((row) => row.parentElement.append(row));
      show();
    }
    // Who follows a link to a turn wants to see the system that it is about.
    outcome.addEventListener("click", (event) => {
      const box = event.target.closest("a")?.closest("tr").querySelector("input");
      if (box) box.checked = true;
      if (box) setAddress(show(), "", true);
    });
    outcome.addEventListener("change", () => setAddress(show(), "", true));
    onAddress(follow);
  }

  const form = byId("choose");
  if (form) choosing(form);
  const outcome = document.querySelector("table.outcome");
  if (outcome) reading(outcome, document.querySelector(".talk"));
}
