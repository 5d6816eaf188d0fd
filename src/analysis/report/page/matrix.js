// The matrix of methods and times: which remote method is called when.

// How wide a cell is at least, in pixels.
const CELL = 9;

const methodMatrix = capture => {
    const { start, step, methods: { top, others, further } } = capture.time;
    if (top.length === 0) return null;
    const length = zoom.whole[1];
    const rows = top.map(({ method, command, count: calls, counts }) => ({ label: command === "call" ? method : `${method} (${command})`, calls, counts }));
    if (others.methods > 0) rows.push({ label: plural(others.methods, "other method"), calls: total(others.counts), counts: others.counts });
    const all = total(rows.map(it => it.calls)) + further;
    const intervals = rows[0].counts.length;
    const title = "Remote calls over time, by method";
    const edges = (from, to) => `${clock(Math.max(0, start + from * step), length, 3)} to ${clock(Math.max(0, start + to * step), length, 3)}${isLong(length) ? "" : " s"}`;
    const note = `${rows[0].label} is called most: ${count(rows[0].calls)} of ${plural(all, "call")}.`;

    const readout = el("p", { class: "readout", "aria-live": "polite" }, note);
    const scale = el("span", { class: "scale", "aria-hidden": "true" });
    const most = el("span");
    const lanes = rows.map(() => el("div", { class: "lane" }));
    // The shown cells, row by row, and the row and column of the chosen one.
    let cells = rows.map(() => []);
    let chosen = null;
    const choose = place => {
        if (chosen) cells[chosen[0]][chosen[1]].element.classList.remove("chosen");
        chosen = place;
        const cell = place ? cells[place[0]][place[1]] : null;
        if (cell) cell.element.classList.add("chosen");
        readout.textContent = cell ? cell.text : note;
    };
    const draw = () => {
        choose(null);
        const [from, to] = zoom.range ?? zoom.whole;
        const [first, last] = [Math.floor((from - start) / step), Math.ceil((to - start) / step)].map(it => Math.min(Math.max(it, 0), intervals));
        // Several intervals share a cell if they do not all fit.
        const wide = Math.max(1, Math.ceil((last - first) / Math.max(8, Math.floor(lanes[0].clientWidth / CELL))));
        const places = [];
        for (let at = first - (first % wide); at < last; at += wide) places.push([at, Math.min(at + wide, intervals)]);
        const sums = rows.map(({ counts }) => places.map(([at, end]) => total(counts.slice(at, end))));
        const largest = Math.max(1, ...sums.flat());
        most.textContent = `${plural(largest, "call")} in a cell`;
        scale.style.background = `linear-gradient(to right, ${shade(1 / largest)}, ${shade(1)})`;
        cells = rows.map(({ label }, row) =>
            places.map(([at, end], column) => {
                const sum = sums[row][column];
                const text = `${label}: ${plural(sum, "call")}, ${edges(at, end)}`;
                const element = el("span", { class: "cell", title: text });
                const [left, right] = [at, end].map(it => placeOf(start + it * step, from, to));
                element.style.left = `${left}%`;
                element.style.width = `${right - left}%`;
                element.style.background = sum > 0 ? shade(sum / largest) : "none";
                element.addEventListener("mouseenter", () => choose([row, column]));
                return { element, text };
            }),
        );
        lanes.forEach((lane, row) => lane.replaceChildren(...cells[row].map(it => it.element)));
    };
    zoom.watchers.add(draw);

    const matrix = el("div",
        {
            class: "matrix",
            tabindex: "0",
            role: "application",
            "aria-roledescription": "plot",
            "aria-label": `${title}. Arrows show the calls of one method at one time, plus and minus zoom, Escape shows everything.`,
            onmouseleave: () => choose(null),
        },
        el("div", { class: "row axis" }, el("span", { class: "label" }, `time (${timeUnit(length)})`), el("span", { class: "kind" }, "calls"), timeMarks(length)),
        rows.map(({ label, calls }, row) => el("div", { class: "row" }, el("span", { class: "label", title: label }, name(label)), el("span", { class: "kind" }, count(calls)), lanes[row])),
    );
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    matrix.addEventListener("keydown", event => {
        const move = steps[event.key];
        if (move && cells[0].length > 0) {
            const far = event.shiftKey ? 10 : 1;
            const limits = [rows.length, cells[0].length];
            choose(chosen ? chosen.map((place, at) => Math.min(Math.max(place + move[at] * far, 0), limits[at] - 1)) : [0, 0]);
        } else if (zoomKeys[event.key]) {
            zoomKeys[event.key]();
        } else {
            return;
        }
        event.preventDefault();
    });

    const called = rows[0].counts.map((_, place) => place).filter(place => rows.some(it => it.counts[place] > 0));
    const columns = [{ title: `time (${timeUnit(length)})`, number: true, cell: place => edges(place, place + 1) }].concat(
        rows.map(({ label, counts }) => ({ title: label, number: true, cell: place => count(counts[place]) })),
    );
    const figure = el("figure", null,
        el("figcaption", null, el("h3", null, title), readout),
        matrix,
        el("p", { class: "more" }, "1 call ", scale, " ", most, ". Cells without a shade have none."),
        further > 0 ? el("p", { class: "more" }, `And ${plural(further, "call")} of further methods, which are not counted over time.`) : null,
        closedTable("Values as a table", () => table(title, columns, called)),
    );
    return { figure, draw: () => {}, resize: draw };
};

// The colour of a cell with a share of the largest count. Small shares can still be seen.
const shade = share => `color-mix(in srgb, var(--series-1) ${Math.round(20 + 80 * Math.sqrt(share))}%, transparent)`;
