// The first screen: whether the session is healthy, who uses the bandwidth, and what is wrong.

// The words for the worst finding.
const verdicts = {
    error: "Something is broken",
    warning: "Works, but has problems",
    info: "Healthy",
    none: "Healthy",
};

// How many users of bandwidth and findings the first screen lists.
const LISTED = 3;

const card = (title, ...children) => el("div", { class: "card" }, el("h3", null, title), ...children);

const healthOf = capture => {
    if (capture.messages === 0) return card("Is it healthy?", el("p", { class: "verdict" }, "No messages of games"));
    const directions = capture.connections.filter(it => it.transport !== null).flatMap(it => it.directions);
    const sum = key => total(directions.map(it => it[key]));
    const [missing, resent] = [sum("missing"), sum("resent")];
    const times = directions.filter(it => it.rtt_ms.length > 0).map(it => it.rtt_ms[1]);
    const worst = capture.findings.length > 0 ? capture.findings[0].severity : "none";
    const seconds = capture.seconds ?? 0;
    const duration = seconds > 0 ? ` in ${isLong(seconds) ? `${clock(seconds, seconds)} ${timeUnit(seconds)}` : `${short(seconds)} s`}` : "";
    const facts = [
        `${plural(capture.messages, "message")} over ${plural(capture.game_flows, "connection")}${duration}`,
        missing > 0 ? `${plural(missing, "message")} missing, ${percent(missing, capture.messages + missing)}` : "no message missing",
        resent > 0 ? `${count(resent)} sent again` : null,
        times.length > 0 ? `round trips of ${short(Math.max(...times))} ms (median of the slowest connection)` : null,
    ];
    return card("Is it healthy?",
        el("p", { class: `verdict ${worst}` }, verdicts[worst]),
        el("ul", { class: "facts" }, facts.filter(it => it).map(it => el("li", null, it))),
    );
};

// Everything that uses bandwidth: methods and properties of nodes, other commands, or plain values.
const usersOf = capture => {
    const members = [capture.calls, capture.properties].flatMap(it => it.top).map(({ node, member, bytes: size }) => ({ label: `${node}.${member}`, size }));
    // These commands are listed by their methods and properties.
    const covered = ["call", "set", "sync", "delta", "relay", "debugger"];
    const commands = capture.commands.filter(it => !covered.includes(it.command)).map(it => ({ label: it.command, size: it.bytes }));
    const users = [...members, ...commands];
    const values = () => capture.kinds.map(it => ({ label: `${it.kind} values`, size: it.bytes }));
    return (users.length > 0 ? users : values()).sort((one, other) => other.size - one.size);
};

const bandwidthOf = capture => {
    const users = usersOf(capture).slice(0, LISTED);
    if (users.length === 0) return null;
    const rows = users.map(({ label, size }) => {
        const share = el("span", { class: "share" });
        share.style.width = `${capture.message_bytes > 0 ? Math.min(100, (size * 100) / capture.message_bytes) : 0}%`;
        return el("li", null, el("span", { class: "user" }, name(label)), " ", el("strong", null, percent(size, capture.message_bytes)), el("span", { class: "track", "aria-hidden": "true" }, share));
    });
    const directions = capture.connections.flatMap(it => it.directions);
    const most = directions.reduce((one, other) => (other.wire_bytes > one.wire_bytes ? other : one), directions[0]);
    const seconds = capture.seconds ?? 0;
    const sender = most
        ? el("p", { class: "more" }, name(`${most.src} → ${most.dst}`), ` sends ${percent(most.wire_bytes, capture.wire_bytes)} of all bytes on the wire${seconds > 0 ? `, ${rate(most.wire_bytes, seconds)}` : ""}.`)
        : null;
    return card("Who uses the bandwidth?", el("ul", { class: "users" }, rows), sender);
};

const problemsOf = (capture, showFrame) => {
    const all = capture.findings.filter(it => it.severity !== "info");
    const undecoded = total([...capture.errors, ...capture.losses].map(it => it.count));
    if (all.length === 0) {
        const other = undecoded > 0 ? `No finding, but ${count(undecoded)} packets or messages were lost or not decoded: see the summary.` : "Nothing.";
        return card("What is wrong?", el("p", null, capture.messages > 0 ? other : "There are no messages to judge."));
    }
    // One finding of each kind first.
    const kinds = new Set();
    const first = all.filter(it => !kinds.has(it.kind) && kinds.add(it.kind)).slice(0, LISTED);
    const rows = first.map(({ severity, text, frames: [from, to] }) => {
        const link = el("a", { href: "#messages", onclick: event => { event.preventDefault(); showFrame(from, to); } }, between(from, to));
        return el("li", { class: severity }, el("strong", null, `${severity}: `), name(text), " ", link);
    });
    const further = capture.findings.length + capture.further_findings - first.length;
    return card("What is wrong?",
        el("ul", { class: "problems" }, rows),
        further > 0 ? el("p", { class: "more" }, el("a", { href: "#findings" }, `All ${plural(further + first.length, "finding")}`), ", with their usual causes") : null,
    );
};

const glanceOf = (capture, showFrame) =>
    el("div", { class: "glance" }, [healthOf(capture), bandwidthOf(capture), problemsOf(capture, showFrame)].filter(it => it));
