// The comparison of two captures: the two sides of one session, or two builds.

const numberColumn = (title, cell) => ({ title, number: true, cell });
const differenceOf = (here, there) => (there > here ? `+${count(there - here)}` : here > there ? `−${count(here - there)}` : "0");

// The two sides of one session: the traffic of each end, in both captures.
const sidesOf = ({ first, second, ways, clocks }) => {
    const delay = (way, key) => (way.delay_ms ? `${short(way.delay_ms[key])} ms` : "–");
    const lost = total(ways.map(it => it.never_arrived));
    const undecided = total(ways.map(it => it.undecided));
    const none = undecided > 0 ? `no message is known to be lost, ${count(undecided)} undecided` : "every message arrived";
    const clock = clocks.is_estimated
        ? `The clock of the second is ${short(Math.abs(clocks.offset_ms))} ms ${clocks.offset_ms > 0 ? "ahead" : "behind"}, estimated as if the fastest messages took equally long both ways. `
        : "";
    return el("div", null,
        el("p", null, lost > 0 ? `Two sides of one session: ${plural(lost, "message")} never arrived.` : `Two sides of one session: ${none}.`),
        table("What each capture has of the same connections", [
            { title: "sender → receiver", cell: ({ src, dst, sender }) => el("span", null, name(`${src} → ${dst}`), " ", el("span", { class: "more" }, sender ? (sender === "client" ? "client → server" : "server → client") : "")) },
            numberColumn("packets in the first", row => count(row.first_packets)),
            numberColumn("packets in the second", row => count(row.second_packets)),
            numberColumn("difference", row => differenceOf(row.first_packets, row.second_packets)),
            numberColumn("messages in the first", row => count(row.first_messages)),
            numberColumn("messages in the second", row => count(row.second_messages)),
            numberColumn("never arrived", row => count(row.never_arrived)),
            numberColumn("median delay", row => delay(row, "p50")),
            numberColumn("95% up to", row => delay(row, "p95")),
        ], ways),
        el("p", { class: "more" }, "The first is ", name(first), ", the second ", name(second), `. ${clock}“gdwire compare” lists what never arrived.`),
    );
};

const verdictOf = ({ is_new: isNew, is_gone: isGone, is_beyond_noise: isBeyond }) =>
    isNew ? "new" : isGone ? "gone" : isBeyond === null ? "–" : isBeyond ? "more than noise" : "within noise";

// Two builds: the traffic of each, per second and client.
const buildsOf = ({ first, second, changes }) => {
    const key = "bytes_per_second_and_client";
    const shown = value => (value === null ? "–" : rate(value, 1));
    const share = ({ before, after }) => (before[key] > 0 ? `${after[key] >= before[key] ? "+" : "−"}${percent(Math.abs(after[key] - before[key]), before[key])}` : "–");
    return el("div", null,
        table("What changed from the first capture to the second", [
            { title: "what", cell: row => row.kind },
            { title: "name", cell: row => name(row.member ? `${row.name}.${row.member}` : row.name) },
            { title: "command", cell: row => row.command ?? "" },
            numberColumn("before", row => shown(row.before[key])),
            numberColumn("after", row => shown(row.after[key])),
            numberColumn("change", share),
            { title: "verdict", cell: verdictOf },
        ], changes),
        el("p", { class: "more" }, "Before is ", name(first), ", after ", name(second), ". Rates are those of each client. A change is more than noise if it exceeds three standard errors, which come from how much the rates of equal parts of each capture differ. “gdwire compare” lists all rows."),
    );
};

const comparisonOf = () => {
    const element = document.getElementById("comparison");
    if (!element) return null;
    const comparison = JSON.parse(element.textContent);
    if (comparison.same_session) return comparison.ways.length > 0 ? sidesOf(comparison) : null;
    return comparison.changes.length > 0 ? buildsOf(comparison) : null;
};
