// One plot: uPlot with a legend that shows values, keys, and a table of the same values.

// All plots over time show the same part of the capture.
const zoom = { range: null, whole: [0, 1], least: 1, plots: new Set(), watchers: new Set() };

const zoomTo = range => {
    const [start, end] = zoom.whole;
    if (range) {
        const length = Math.min(Math.max(range[1] - range[0], zoom.least), end - start);
        const from = Math.min(Math.max(range[0], start), end - length);
        range = length >= end - start ? null : [from, from + length];
    }
    zoom.range = range;
    const [min, max] = range ?? zoom.whole;
    for (const plot of zoom.plots) plot.setScale("x", { min, max });
    for (const watch of zoom.watchers) watch(min, max);
};

// Zooms by a factor around the middle, or moves by a part of the shown time.
const zoomBy = (factor, move = 0) => {
    const [from, to] = zoom.range ?? zoom.whole;
    const half = ((to - from) * factor) / 2;
    const middle = (from + to) / 2 + (to - from) * move;
    zoomTo([middle - half, middle + half]);
};

const zoomKeys = {
    "+": () => zoomBy(0.5),
    "=": () => zoomBy(0.5),
    "-": () => zoomBy(2),
    PageUp: () => zoomBy(1, -0.5),
    PageDown: () => zoomBy(1, 0.5),
    Escape: () => zoomTo(null),
};

// Makes a plot: {title, note, unit, x, xUnit, xValues, xSteps, xSpace, series: [{label, values, colour, dash, points, isStepped}],
// isTime, isStacked, isBars, isCount, text, cell, xText, yRange}. `values` are of the series, `text` shows one of
// them, and `cell` does so in the table.
const makePlot = plot => {
    const shown = plot.series.map(() => true);
    const legend = el("ul", { class: "legend" });
    const readout = el("p", { class: "readout", "aria-live": "polite" });
    const canvas = el("div", {
        class: "plot",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "plot",
        "aria-label": `${plot.title}. Left and right arrows show values${plot.isTime ? ", plus and minus zoom, Escape shows everything" : ""}.`,
    });
    const values = plot.series.map((series, at) => {
        const value = el("span", { class: "value" });
        const shape = plot.isStacked || plot.isBars ? "box" : series.points ? "dots" : series.dash ? "dashed" : "";
        const swatch = el("span", { class: `swatch ${shape}` });
        swatch.style.color = `var(${series.colour})`;
        const button = el("button", { type: "button", "aria-pressed": "true", title: "Show or hide" }, swatch, name(series.label), value);
        button.addEventListener("click", () => {
            shown[at] = !shown[at];
            button.setAttribute("aria-pressed", String(shown[at]));
            drawing.setData(data(), false);
            drawing.setSeries(order(at), { show: shown[at] });
            zoomed();
        });
        legend.append(el("li", null, button));
        return value;
    });

    // The first of stacked series is at the bottom. Each is drawn with the sum of those below it,
    // the highest one first, so that each covers a part of the one before.
    const data = () => {
        if (!plot.isStacked) return [plot.x, ...plot.series.map(it => it.values)];
        const sums = plot.x.map(() => 0);
        const stacked = plot.series.map((series, at) => {
            if (shown[at]) series.values.forEach((value, place) => (sums[place] += value));
            return sums.slice();
        });
        return [plot.x, ...stacked.reverse()];
    };
    const order = at => (plot.isStacked ? plot.series.length - at : at + 1);

    const show = index => {
        const place = index === null || index === undefined ? null : index;
        plot.series.forEach((series, at) => {
            const value = place === null ? null : series.values[place];
            values[at].textContent = place === null ? series.total ?? "" : value === null ? "–" : plot.text(value);
        });
        readout.textContent = place === null ? plot.note ?? "" : plot.xText(place);
    };

    let drawing = null;
    const zoomed = () => {
        if (!plot.isTime) return;
        const [min, max] = zoom.range ?? zoom.whole;
        drawing.setScale("x", { min, max });
    };
    const remove = () => {
        if (!drawing) return;
        zoom.plots.delete(drawing);
        drawing.destroy();
        drawing = null;
    };
    const draw = () => {
        remove();
        drawing = new uPlot(options(plot, { canvas, show, width: canvas.clientWidth || 600 }), data(), canvas);
        shown.forEach((isShown, at) => isShown || drawing.setSeries(order(at), { show: false }));
        if (plot.isTime) zoom.plots.add(drawing);
        zoomed();
        show(null);
    };
    const resize = () => {
        if (drawing && canvas.clientWidth > 0) drawing.setSize({ width: canvas.clientWidth, height: height(canvas.clientWidth) });
    };

    canvas.addEventListener("keydown", event => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) {
            const [from, to] = [drawing.scales.x.min, drawing.scales.x.max].map(it => drawing.valToIdx(it));
            const index = drawing.cursor.idx ?? (step > 0 ? from - 1 : to + 1);
            const next = Math.min(Math.max(index + step * (event.shiftKey ? 10 : 1), from), to);
            drawing.setCursor({ left: drawing.valToPos(plot.x[next], "x"), top: drawing.over.clientHeight / 2 });
        } else if (plot.isTime && zoomKeys[event.key]) {
            zoomKeys[event.key]();
        } else {
            return;
        }
        event.preventDefault();
    });

    const columns = [{ title: plot.xUnit, number: true, cell: place => plot.xText(place) }].concat(
        plot.series.map(it => ({ title: `${it.label} (${plot.unit})`, number: true, cell: place => (it.values[place] === null ? "–" : (plot.cell ?? short)(it.values[place])) })),
    );
    const figure = el(
        "figure",
        null,
        el("figcaption", null, el("h3", null, plot.title), readout),
        canvas,
        legend,
        closedTable("Values as a table", () => table(plot.title, columns, plot.x.map((_, place) => place))),
    );
    return { figure, draw, resize, remove };
};

// The distances between the marks of an axis that counts.
const wholeNumbers = tens(0, 15);

// Long labels need more room.
const axisSize = (_, values) => Math.max(52, 16 + 7 * Math.max(0, ...(values ?? []).map(it => it.length)));

const height = width => (width < 500 ? 200 : 260);

const options = (plot, { canvas, show, width }) => {
    const [text, grid] = [colour("--muted"), colour("--grid")];
    const font = `12px ${colour("--font")}`;
    const axis = { stroke: text, font, labelFont: font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const drawn = plot.isStacked ? plot.series.slice().reverse() : plot.series;
    const bars = uPlot.paths.bars({ size: [0.9, 64] });
    return {
        width,
        height: height(width),
        legend: { show: false },
        scales: {
            // Half of the first bar and of the last is outside of their places.
            x: { time: false, range: plot.isTime ? undefined : (_, min, max) => [min - 0.5, max + 0.5] },
            y: { range: plot.yRange ?? ((_, __, max) => [0, max > 0 ? max * 1.05 : 1]) },
        },
        axes: [
            { ...axis, label: plot.xUnit, labelSize: 20, size: 36, values: plot.xValues, incrs: plot.xSteps, space: plot.xSpace ?? 50 },
            { ...axis, label: plot.unit, labelSize: 20, size: axisSize, incrs: plot.isCount ? wholeNumbers : undefined, values: (_, ticks) => labels(ticks) },
        ],
        series: [{}].concat(
            drawn.map(it => {
                const stroke = colour(it.colour);
                return {
                    stroke,
                    width: plot.isBars ? 0 : plot.isStacked || it.points ? 1 : 1.75,
                    dash: it.dash ? [6, 4] : undefined,
                    fill: plot.isStacked || plot.isBars ? stroke : undefined,
                    paths: plot.isBars ? bars : it.points ? () => null : it.isStepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
                    points: it.points ? { show: true, size: 5, fill: stroke, stroke } : { show: it.values.length < 3 },
                    spanGaps: true,
                };
            }),
        ),
        cursor: {
            y: false,
            drag: { x: true, y: false, setScale: false },
            // Zooming is shared here, not by uPlot.
            sync: plot.isTime ? { key: "time", filters: { pub: type => type === "mousemove" || type === "mouseleave" } } : undefined,
            bind: { dblclick: drawing => () => (plot.isTime ? zoomTo(null) : drawing.setData(drawing.data)) },
        },
        hooks: {
            setCursor: [drawing => show(drawing.cursor.left < 0 ? null : drawing.cursor.idx)],
            setSelect: [
                drawing => {
                    const { left, width } = drawing.select;
                    if (width < 4) return;
                    const range = [left, left + width].map(it => drawing.posToVal(it, "x"));
                    drawing.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
                    if (plot.isTime) zoomTo(range);
                    else drawing.setScale("x", { min: range[0] + 0.5, max: range[1] - 0.5 });
                },
            ],
        },
    };
};
