// The lifetimes of connections and spawned nodes.

// The place of a time in a lane, in percent.
const placeOf = (seconds, from, to) => ((seconds - from) * 100) / (to - from);

// The lane with the marks of the axis of time.
const timeMarks = length => {
    const steps = clockSteps(length);
    const marks = el("div", { class: "lane marks", "aria-hidden": "true" });
    zoom.watchers.add((from, to) => {
        const step = steps.find(it => it >= (to - from) / 8) ?? to - from;
        marks.replaceChildren();
        for (let mark = Math.ceil(from / step) * step; mark <= to; mark += step) {
            const shown = el("span", null, clock(mark, length, decimalsOf(step)));
            shown.style.left = `${placeOf(mark, from, to)}%`;
            marks.append(shown);
        }
    });
    return marks;
};

const timelineOf = (capture, showFrame) => {
    const length = zoom.whole[1];
    const ends = new Map(capture.connections.map(it => [it.number, it.span[1]]));
    const connections = capture.connections
        .filter(it => it.span[0] !== null)
        .map(it => ({
            label: `${it.directions[0].src} ↔ ${it.directions[1].src}`,
            kind: it.transport ?? (it.tcp ? "other TCP" : "other UDP"),
            lives: [{ span: it.span, frames: it.frames, verbs: ["first packet", "last packet"] }],
        }));
    const nodes = new Map();
    for (const it of capture.nodes_over_time) {
        if (it.span[0] === null) continue;
        const row = nodes.get(it.node) ?? { label: it.node, kind: "node", lives: [] };
        const end = it.span[1] ?? ends.get(it.connection) ?? length;
        row.lives.push({ span: [it.span[0], end], frames: it.frames, verbs: ["spawn", "despawn"] });
        nodes.set(it.node, row);
    }
    const rows = [...connections, ...nodes.values()];
    if (rows.length === 0) return null;

    const bars = [];
    const list = rows.map(row => {
        const lane = el("div", { class: "lane" });
        for (const { span, frames, verbs } of row.lives) {
            const [first, last] = frames;
            const until = last === null ? "not despawned" : `${verbs[1]} in frame ${last} at ${moment(span[1], length)}`;
            const text = `${row.label}: ${verbs[0]} in frame ${first} at ${moment(span[0], length)}, ${until}`;
            const life = el("button", { type: "button", class: `life ${row.kind === "node" ? "node" : ""} ${last === null ? "open" : ""}`, title: text, "aria-label": text, onclick: () => showFrame(first) });
            bars.push([life, span]);
            lane.append(life);
        }
        return el("li", { class: "row" }, el("span", { class: "label", title: row.label }, name(row.label)), el("span", { class: "kind" }, row.kind), lane);
    });
    zoom.watchers.add((from, to) => {
        for (const [life, [start, end]] of bars) {
            const [left, right] = [start, end].map(it => Math.min(Math.max(placeOf(it, from, to), 0), 100));
            life.hidden = end < from || start > to;
            life.style.left = `${left}%`;
            life.style.width = `${right - left}%`;
        }
    });
    const further = capture.further_nodes_over_time;
    return el("div", null,
        el("div", { class: "timeline" },
            el("div", { class: "row axis" }, el("span", { class: "label" }, `time (${timeUnit(length)})`), el("span", { class: "kind" }), timeMarks(length)),
            el("ul", { class: "rows" }, list),
        ),
        further > 0 ? el("p", { class: "more" }, `And ${plural(further, "more spawn")}.`) : null,
    );
};
