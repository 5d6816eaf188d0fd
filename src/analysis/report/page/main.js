// Shows one capture at a time.

const captures = [...document.querySelectorAll("script.capture")].map(it => JSON.parse(it.textContent));
const page = id => document.getElementById(id);
let plots = [];

const findingsOf = (capture, showFrame) => {
    const { findings, further_findings: further } = capture;
    if (findings.length === 0) return el("p", null, capture.messages > 0 ? "Nothing is wrong." : "There are no messages to judge.");
    const list = findings.map(({ kind, severity, text, cause, frames: [first, last] }) => {
        const link = el("a", { href: "#messages", onclick: event => { event.preventDefault(); showFrame(first, last); } }, between(first, last));
        return el("li", { class: `finding ${severity}` },
            el("span", { class: "severity" }, severity),
            el("div", null, el("p", null, name(text), " ", link, " ", el("code", null, kind)), el("p", { class: "cause" }, cause)),
        );
    });
    return el("div", null, el("ul", { class: "findings" }, list), further > 0 ? el("p", { class: "more" }, `And ${plural(further, "more finding")}; gdwire diagnose lists them.`) : null);
};

// The note about the selected messages, if the report was made with options that select messages.
const selects = /(^| )--(where|grep|method|path|kind|command|src|dst|frames|from|to|limit)\b/;
const selectionOf = capture =>
    selects.test(capture.arguments)
        ? el("p", { class: "more" }, "Only messages that these options select are in the report; packets, round trips and losses are those of whole connections: ", el("code", null, capture.arguments))
        : null;

const tilesOf = capture => {
    const seconds = capture.seconds ?? 0;
    const times = capture.connections.flatMap(it => it.directions).filter(it => it.rtt_ms.length > 0);
    const all = key => total(capture.connections.flatMap(it => it.directions.map(direction => direction[key])));
    const worst = capture.findings.length === 0 ? "none" : capture.findings[0].severity;
    const tiles = [
        ["duration", seconds > 0 ? (isLong(seconds) ? clock(seconds, seconds) : moment(seconds, seconds)) : "–", "first to last packet"],
        ["connections", count(capture.game_flows), capture.flows > capture.game_flows ? `and ${plural(capture.flows - capture.game_flows, "flow")} of other programs` : "all of games"],
        ["packets", count(capture.packets), `${bytes(capture.wire_bytes)} on the wire, ${bytes(capture.payload_bytes)} payload`],
        ["messages", count(capture.messages), `${bytes(capture.message_bytes)} without headers`],
        ["bandwidth", seconds > 0 ? rate(capture.wire_bytes, seconds) : "–", "mean on the wire"],
        ["round trip", times.length > 0 ? `${short(Math.max(...times.map(it => it.rtt_ms[1])))} ms` : "–", "median of the slowest connection"],
        ["missing", count(all("missing")), `${count(all("resent"))} sent again`],
        ["findings", count(capture.findings.length + capture.further_findings), `worst: ${worst}`],
    ];
    return el("dl", { class: "tiles" }, tiles.map(([title, value, note]) => el("div", { class: "tile" }, el("dt", null, title), el("dd", { "data-value": title }, value), el("dd", { class: "note" }, note))));
};

const contents = capture => {
    const { element: messages, showFrame } = messagesOf(capture);
    const drawn = make => {
        const plot = capture.time ? make(capture) : null;
        if (plot) plots.push(plot);
        return plot ? plot.figure : null;
    };
    const losses = capture.losses.length === 0 ? null : table("Lost", [
        { title: "what", cell: row => row.what },
        { title: "count", number: true, cell: row => count(row.count) },
    ], capture.losses);
    const errors = capture.errors.length === 0 ? null : table("Not decoded", [
        { title: "reason", cell: row => row.reason },
        { title: "count", number: true, cell: row => count(row.count) },
    ], capture.errors);
    const { node, member, command } = itemColumns;
    const timeline = timelineOf(capture, showFrame);
    const size = sizePlot(capture);
    if (size) plots.push(size);
    const users = [
        layerTable(capture),
        itemTable(capture, "Nodes", capture.nodes, [node]),
        itemTable(capture, "Methods, and properties set by rset", capture.calls, [node, member("method or property"), command]),
        itemTable(capture, "Synchronized properties", capture.properties, [node, member("property"), command]),
    ].filter(it => it);
    const lost = lostOf(capture, showFrame);
    const sections = [
        ["glance", "At a glance", [selectionOf(capture), capture.packets > 0 ? glanceOf(capture, showFrame) : null]],
        ["both", "Both captures", [comparisonOf()]],
        ["summary", "Summary", [tilesOf(capture), capture.connections.length > 0 ? connectionTable(capture) : null, losses, errors]],
        ["findings", "Findings", [findingsOf(capture, showFrame)]],
        ["bandwidth", "Bandwidth", [drawn(trafficPlot), drawn(commandPlot)]],
        ["users", "Who uses it", users],
        ["calls", "Remote calls", [drawn(methodMatrix)]],
        ["sizes", "Message sizes", [size ? size.figure : null, amountTable("Commands", "command", capture.commands, row => row.command), amountTable("Kinds of values and arguments", "kind", capture.kinds, row => row.kind)]],
        ["network", "Round trips and loss", [drawn(roundTripPlot), drawn(lossPlot), lost]],
        ["values", "Values of properties", [drawn(numbersOverTime)]],
        ["timeline", "Timeline", [timeline]],
        ["messages", "Messages", [messages]],
    ];
    return sections.map(([id, title, children]) => [id, title, children.filter(it => it)]).filter(([, , children]) => children.length > 0);
};

const show = capture => {
    zoom.plots.clear();
    zoom.watchers.clear();
    plots = [];
    zoom.range = null;
    const end = Math.max(capture.seconds ?? 0, capture.time ? capture.time.step : 0, 1e-3);
    zoom.whole = [0, end];
    zoom.least = capture.time ? Math.min(capture.time.step * 2, end) : end;
    document.title = `${capture.file} – gdwire report`;
    const start = capture.start?.replace("T", " ").replace(/(\.\d{3})\d*/, "$1").replace("Z", " UTC");
    page("subtitle").replaceChildren(name(capture.file), start ? `, from ${start}` : "");
    const sections = contents(capture);
    const isEmpty = capture.packets === 0;
    page("report").replaceChildren(
        ...(isEmpty ? [el("p", { class: "notice" }, "The capture has no packets of UDP or TCP.")] : []),
        ...sections.map(([id, title, children]) => section(id, title, ...children)),
    );
    page("sections").replaceChildren(...sections.map(([id, title]) => el("li", null, el("a", { href: `#${id}` }, title))));
    zoom.watchers.add((from, to) => {
        const length = zoom.whole[1];
        page("range").textContent = zoom.range ? `${clock(from, length, 2)} to ${clock(to, length, 2)}${isLong(length) ? "" : " s"}` : "whole capture";
    });
    page("zoom").hidden = !capture.time;
    plots.forEach(plot => plot.draw());
    zoomTo(null);
};

captures.forEach((capture, at) => page("capture").append(el("option", { value: at }, capture.file)));
page("captures").hidden = captures.length < 2;
page("capture").addEventListener("change", event => show(captures[Number(event.target.value)]));
page("zoom-in").addEventListener("click", () => zoomBy(0.5));
page("zoom-out").addEventListener("click", () => zoomBy(2));
page("zoom-left").addEventListener("click", () => zoomBy(1, -0.5));
page("zoom-right").addEventListener("click", () => zoomBy(1, 0.5));
page("zoom-all").addEventListener("click", () => zoomTo(null));

const redraw = () => plots.forEach(plot => plot.draw());
let width = innerWidth;
addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    plots.forEach(plot => plot.resize());
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
// A printed page is light and narrow.
const printed = isPrinting => {
    document.documentElement.classList.toggle("printing", isPrinting);
    redraw();
};
addEventListener("beforeprint", () => printed(true));
addEventListener("afterprint", () => printed(false));

if (captures.length > 0) show(captures[0]);
