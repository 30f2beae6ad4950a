"use strict";
(async () => {
  const main = document.getElementById("content");
  const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { figures, columns, front, refresh } = JSON.parse(await new Response(unpacked).text());

  // -- what a reader has set, kept when the page is replaced by a newer one -------------------------------
  const storageKey = `auger:${location.pathname}`;
  const kept = (() => {
    try { return JSON.parse(sessionStorage.getItem(storageKey)) || {}; } catch { return {}; }
  })();
  const keep = (changes) => {
    Object.assign(kept, changes);
    try { sessionStorage.setItem(storageKey, JSON.stringify(kept)); } catch { /* a browser that keeps nothing */ }
  };

  // -- figures: drawn when they come into sight, in the colors of the page --------------------------------
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const plots = [...document.querySelectorAll("[data-figure]")];
  let isPrinted = matchMedia("print").matches;

  const themed = (layout) => {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const look = structuredClone(layout);
    look.font = { ...look.font, color: color("--ink"), family: style.fontFamily };
    look.hoverlabel = { ...look.hoverlabel, bgcolor: color("--panel"), bordercolor: color("--line"), font: { color: color("--ink") } };
    look.modebar = { bgcolor: "rgba(0,0,0,0)", color: color("--soft"), activecolor: color("--accent") };
    for (const note of look.annotations ?? []) note.bgcolor = color("--ground");  // points below would hide them
    if (isTouched.matches) look.dragmode = false;  // a finger scrolls the page
    for (const [key, axis] of Object.entries(look)) {
      if (/^[xy]axis\d*$/.test(key)) Object.assign(axis, { gridcolor: color("--grid"), linecolor: color("--grid"), tickcolor: color("--grid") });
    }
    delete look.height;  // the element in the page has it
    return look;
  };
  // a toolbar is shown while a mouse is over a figure; a finger cannot be, and the toolbar would hide the figure
  const isTouched = matchMedia("(hover: none)");
  const settings = () => ({
    responsive: true, displaylogo: false, displayModeBar: isTouched.matches ? false : "hover", modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  });
  // where it is dark, the blue of all figures is a lighter one
  const lit = (data) => (isDark.matches && !isPrinted ? JSON.parse(JSON.stringify(data).replaceAll("#0072B2", "#3D9FDB")) : structuredClone(data));
  const hasGraphics = () => document.createElement("canvas").getContext("webgl") !== null;
  // the box of a figure that is ticked or not; null where it has none
  const isOn = (key, name) => document.querySelector(`[data-of="${key}"][data-switch="${name}"]`)?.checked ?? null;
  const scaled = (key) => {
    const { layout, other_scale } = figures[key], isLog = isOn(key, "log");
    return isLog === null || isLog === (layout.yaxis.type === "log") ? layout : { ...layout, ...other_scale };
  };
  const draw = (plot) => {
    const key = plot.dataset.figure, { data } = figures[key];
    if (data.some(({ type }) => type === "parcoords") && !hasGraphics()) {
      const sentence = document.createElement("p");
      sentence.className = "missing";
      sentence.textContent = "This figure needs WebGL, which this browser does not offer.";
      plot.replaceChildren(sentence);
      plot.style.height = "auto";
      plot.dataset.drawn = "yes";
      return;
    }
    const look = themed(scaled(key));
    const traces = lit(data);
    for (const trace of traces) {
      if (trace.type === "parcoords") Object.assign(trace, themedLines(trace, look.font.color));
      if (trace.legendgroup === "pruned") trace.visible = isOn(key, "pruned");
    }
    plot.dataset.drawn = "yes";
    startPlotly();
    Plotly.react(plot, traces, look, settings());
  };
  // lines that do not take the font of the figure; from the ground's color, for the worst, to the one that stands out most
  const themedLines = (trace, ink) => {
    const style = getComputedStyle(document.documentElement);
    const colors = ["--worst", "--half", "--good", "--best"].map((name) => style.getPropertyValue(name).trim());
    const line = { ...trace.line, colorscale: [0, 0.65, 0.9, 1].map((share, i) => [share, colors[i]]) };
    return { line, labelfont: { ...trace.labelfont, color: ink }, tickfont: { ...trace.tickfont, color: ink } };
  };
  // plotly.js waits as text: to read it takes a second, and the page is there before
  const startPlotly = () => {
    if (window.Plotly) return;
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly").textContent;
    document.head.append(script);
  };
  const isDrawn = (plot) => plot.dataset.drawn === "yes";
  const drawAll = () => plots.forEach(draw);

  const sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      if (!isDrawn(target)) draw(target);
    }
  }, { rootMargin: "600px 0px" });
  requestAnimationFrame(() => setTimeout(() => plots.forEach((plot) => sight.observe(plot))));  // after the first look
  isDark.addEventListener("change", () => plots.filter(isDrawn).forEach(draw));

  for (const box of document.querySelectorAll("[data-switch]")) {
    const { of, switch: name } = box.dataset, title = `${of} ${name}`;
    box.checked = kept.switches?.[title] ?? box.checked;
    box.addEventListener("change", () => {
      keep({ switches: { ...kept.switches, [title]: box.checked } });
      plots.filter((plot) => plot.dataset.figure === of && isDrawn(plot)).forEach(draw);
    });
  }

  // -- figures of which one is shown at a time -----------------------------------------------------------------
  const turnTo = (group, tab) => {
    for (const button of group.querySelectorAll("[data-tab]")) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
    for (const panel of group.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== tab;
    // the page may have another width than when they were drawn
    for (const plot of group.querySelectorAll("[data-panel]:not([hidden]) [data-drawn]")) if (plot.data) Plotly.Plots.resize(plot);
  };
  for (const group of document.querySelectorAll(".tabs")) {
    for (const button of group.querySelectorAll("[data-tab]")) {
      const { tab } = button.dataset;
      button.addEventListener("click", () => {
        turnTo(group, tab);
        keep({ tabs: { ...kept.tabs, [tab.replace(/-\d+$/, "")]: tab } });
      });
      if (Object.values(kept.tabs ?? {}).includes(tab)) turnTo(group, tab);
    }
  }

  const tables = [];
  const print = (is) => {
    if (is === isPrinted) return;
    isPrinted = is;
    // before the page is laid out for paper: its colors, and about its width
    document.documentElement.classList.toggle("printing", is);
    drawAll();
    plots.filter((plot) => plot.data).forEach((plot) => Plotly.Plots.resize(plot));
    for (const table of tables) table.print(is);
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", (event) => print(event.matches));

  // -- the best settings -------------------------------------------------------------------------------------
  const formats = [...document.querySelectorAll("[data-format]")];
  const texts = [...document.querySelectorAll("[data-text]")];
  const choose = (name) => {
    if (!formats.some((button) => button.dataset.format === name)) return;
    for (const button of formats) button.setAttribute("aria-pressed", String(button.dataset.format === name));
    for (const text of texts) text.hidden = text.dataset.text !== name;
    keep({ format: name });
  };
  formats.forEach((button) => button.addEventListener("click", () => choose(button.dataset.format)));
  if (kept.format) choose(kept.format);

  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* not allowed here: the old way */ }
    const area = Object.assign(document.createElement("textarea"), { value: text });
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const is = document.execCommand("copy");
    area.remove();
    return is;
  };
  const copy = async (button, text) => {
    const is = await copied(text);
    button.focus();
    document.getElementById("copied").textContent = is ? "Copied." : "Copying is not allowed here: select the text.";
    return is;
  };
  const button = document.getElementById("copy");
  button?.addEventListener("click", () => copy(button, texts.find((text) => !text.hidden).textContent));

  // -- tables of trials: all, and those on the front ------------------------------------------------------------
  const SIZE = 50;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const number = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value);
  const count = (m) => m.toLocaleString("en");
  const create = (name, text, ...classes) => {
    const element = document.createElement(name);
    element.textContent = text;
    element.classList.add(...classes);
    return element;
  };
  // filter and state are elements, for a table that has them; copies are texts by format, to be copied from each row
  const tabulate = (name, columns, { filter, state, copies, first } = {}) => {
    const table = document.getElementById(`${name}-table`);
    if (!table) return;
    const head = table.tHead.rows[0], body = table.tBodies[0];
    const summary = document.getElementById(`${name}-rows`), pages = document.getElementById(`${name}-pages`);
    const [back, next] = pages.querySelectorAll("button");
    const n = columns.length ? columns[0].values.length : 0;
    const listed = columns.filter(({ is_talk }) => !is_talk), talk = columns.filter(({ is_talk }) => is_talk);
    const states = columns.find((column) => column.title === "state");
    const before = kept.tables?.[name] ?? {};
    let order = [], page = 0, sorted = { column: 0, down: false }, letters = null, isOnPaper = isPrinted;

    const compare = (column, down) => {
      const { values, is_number, marks } = listed[column];
      // both ways, values come before those of pruned trials, which had fewer steps, and empty cells last
      const group = (i) => (values[i] === null || (is_number && Number.isNaN(number(values[i]))) ? 2 : marks?.[i] ? 1 : 0);
      const sign = down ? -1 : 1;
      return (i, j) => {
        const a = values[i], b = values[j], apart = group(i) - group(j);
        if (apart || group(i) === 2) return apart || i - j;
        const way = is_number ? number(a) - number(b) : collator.compare(a, b);
        return sign * way || i - j;
      };
    };
    const words = () => {
      letters ??= Array.from({ length: n }, (_, i) => columns.map(({ values, marks }) => `${values[i] ?? ""} ${marks?.[i] ?? ""}`).join("\n").toLowerCase());
      return letters;
    };
    const arrange = () => {
      const wanted = filter?.value.trim().toLowerCase();
      order = Array.from({ length: n }, (_, i) => i);
      if (state?.value) order = order.filter((i) => states.values[i] === state.value);
      if (wanted) { const all = words(); order = order.filter((i) => all[i].includes(wanted)); }
      order.sort(compare(sorted.column, sorted.down));
      [...head.cells].forEach((cell, i) => {
        if (i === sorted.column) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
    };
    const copyButton = (i) => {
      const control = create("button", "Copy", "copy");
      control.type = "button";
      control.setAttribute("aria-label", `Copy the settings of trial ${listed[0].values[i]}`);
      control.addEventListener("click", async () => {
        const chosen = formats.find((format) => format.getAttribute("aria-pressed") === "true").dataset.format;
        const is = await copy(control, copies[chosen][i]);
        for (const other of body.querySelectorAll(".copy")) other.textContent = "Copy";
        if (is) control.textContent = "Copied";
      });
      return control;
    };
    const trialRow = (i) => {
      const row = document.createElement("tr");
      for (const [j, { values, is_number, marks }] of listed.entries()) {
        const text = values[i] === null ? "" : String(values[i]);
        const cell = create("td", text, ...(is_number ? ["number"] : []), ...(text.length > 60 ? ["long"] : []));
        if (marks?.[i]) cell.append(create("span", ` ${marks[i]}`, "mark"));
        if (copies && j === 0) cell.prepend(copyButton(i), " ");
        row.append(cell);
      }
      return row;
    };
    // why a trial was tried, who ran it, what went wrong: in a line of its own, as wide as what is in sight
    const talkRow = (i) => {
      const spans = talk.filter(({ values }) => values[i] !== null).map(({ title, values }) => create("span", String(values[i]), title));
      if (!spans.length) return null;
      const row = create("tr", "", "talk"), cell = row.insertCell(), box = create("div", "");
      cell.colSpan = listed.length;
      box.append(...spans);
      cell.append(box);
      return row;
    };
    const show = (wanted) => {
      const last = Math.max(0, Math.ceil(order.length / SIZE) - 1);
      const shown = Math.min(wanted, last);
      if (!isOnPaper) page = shown;
      const rows = order.slice(shown * SIZE, (shown + 1) * SIZE);
      body.replaceChildren(...rows.flatMap((i) => [trialRow(i), talkRow(i)]).filter(Boolean));
      summary.textContent = order.length ? `Trials ${count(shown * SIZE + 1)} to ${count(shown * SIZE + rows.length)} of ${count(order.length)}`
        + (order.length < n ? `, filtered from ${count(n)}` : "") : n ? `None of ${count(n)} trials matches.` : "";
      pages.hidden = last === 0;
      back.disabled = shown === 0;
      next.disabled = shown === last;
    };
    const keepTable = () => keep({ tables: { ...kept.tables, [name]: {
      filter: filter?.value, state: state?.value, sorted: { title: listed[sorted.column]?.title, down: sorted.down }, page,
    } } });
    const update = (wanted = 0) => {
      arrange();
      show(wanted);
      keepTable();
    };
    listed.forEach(({ title, is_number }, i) => {
      const cell = create("th", "", ...(is_number ? ["number"] : [])), control = create("button", title);
      cell.scope = "col";
      control.type = "button";
      control.addEventListener("click", () => {
        sorted = { column: i, down: sorted.column === i && !sorted.down };
        update();
      });
      cell.append(control);
      head.append(cell);
    });
    const turn = (by) => { show(page + by); keepTable(); };
    back.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    if (filter) {
      filter.addEventListener("input", () => update());
      filter.value = before.filter ?? "";
    }
    if (state) {
      for (const option of new Set(states?.values ?? [])) state.append(new Option(option, option));
      state.addEventListener("change", () => update());
      state.value = [...state.options].some((option) => option.value === before.state) ? before.state : "";
    }
    const wish = before.sorted ?? first;
    const column = listed.findIndex(({ title }) => title === wish?.title);
    if (column >= 0) sorted = { column, down: wish.down };
    update(before.page ?? 0);
    tables.push({ print: (is) => { isOnPaper = is; show(is ? 0 : page); } });
  };
  tabulate("front", front.columns, { copies: front.copies, first: front.sorted });
  tabulate("trials", columns, { filter: document.getElementById("filter"), state: document.getElementById("state") });

  // -- where we are ---------------------------------------------------------------------------------------------
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const passed = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((section) => passed.observe(section));

  // -- replaced by a newer page while the run goes on -------------------------------------------------------------------------
  if (refresh) {
    history.scrollRestoration = "manual";
    const pause = document.getElementById("pause");
    const say = () => { pause.textContent = kept.isPaused ? "Refresh again" : "Pause"; };
    pause.addEventListener("click", () => { keep({ isPaused: !kept.isPaused }); say(); });
    say();
    const isBusy = () => kept.isPaused || document.hidden || isPrinted || String(getSelection()) !== "" || main.querySelector(":active");
    const reload = () => {
      if (isBusy()) return;
      keep({ scroll: scrollY, focus: document.activeElement?.id, across: document.querySelector("#trials .scroll").scrollLeft });
      location.reload();
    };
    setInterval(reload, 1000 * refresh);
  }
  if (kept.scroll !== undefined) {
    scrollTo(0, kept.scroll);
    document.querySelector("#trials .scroll").scrollLeft = kept.across;
    if (kept.focus) document.getElementById(kept.focus)?.focus({ preventScroll: true });
    keep({ scroll: undefined, focus: undefined });
  }
  if (isPrinted) drawAll();
  document.documentElement.dataset.ready = "yes";
})();
