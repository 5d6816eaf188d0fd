// Makes elements. Content of a capture may be hostile: it becomes text, or the value of an
// attribute that only shows text, and never markup, a style, an address or a script.

const el = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
};

// A name from the capture. It cannot change the direction of the text around it. A path may be broken after each slash.
const name = text => el("bdi", { class: "name" }, text.split(/(?<=\/)/).flatMap((part, at) => (at > 0 ? [el("wbr"), part] : [part])));

// A text for screen readers alone.
const hidden = text => () => el("span", { class: "hidden" }, text);

const section = (id, title, ...children) =>
    el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);

// A table; a column is {title, number, class, cell: row => text or element}. In narrow windows, each row
// is a block, and the style shows the titles of numbers before them.
const classOf = ({ number, class: other }) => [number ? "number" : "", other ?? ""].join(" ").trim() || null;
const table = (caption, columns, rows) =>
    el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        el(
            "table",
            null,
            el("caption", null, caption),
            el("thead", null, el("tr", null, columns.map(it => el("th", { scope: "col", class: classOf(it) }, typeof it.title === "function" ? it.title() : it.title)))),
            el("tbody", null, rows.map(row => tableRow(columns, row))),
        ),
    );

const tableRow = (columns, row) =>
    el("tr", null, columns.map(it => el("td", { class: classOf(it), "data-title": it.number ? it.title : null }, it.cell(row))));

// A closed table, which is built when it is opened first.
const closedTable = (summary, make, className = "values") => {
    const details = el("details", { class: className }, el("summary", null, summary));
    details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) details.append(make());
    });
    return details;
};

const colour = variable => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
