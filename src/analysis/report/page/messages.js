// The table of messages, and its search.

const PAGE = 100;

// How many messages before and after frames without a message are shown.
const AROUND = 5;

const messagesOf = capture => {
    const { ends, frame, time, src, dst, command, bytes: sizes, text, further } = capture.rows;
    const length = zoom.whole[1];
    const columns = [
        { title: "frame", number: true, cell: at => String(frame[at]) },
        { title: `time (${timeUnit(length)})`, number: true, cell: at => (time[at] === null ? "–" : clock(time[at], length, 3)) },
        { title: "sender → receiver", class: "ends", cell: at => `${ends[src[at]]} → ${ends[dst[at]]}` },
        { title: "command", cell: at => command[at] },
        { title: "bytes", number: true, cell: at => count(sizes[at]) },
        { title: "message", class: "text", cell: at => name(text[at]) },
    ];
    const words = frame.map((_, at) => columns[2].cell(at) + " " + command[at] + " " + text[at]).map(it => it.toLowerCase());
    let found = [];
    let listed = 0;

    const search = el("input", { type: "search", id: "search", placeholder: "path, method, value, address, or frame:72", autocomplete: "off", spellcheck: "false" });
    const choice = el("select", { id: "command" }, el("option", { value: "" }, "all"), [...new Set(command)].sort().map(it => el("option", { value: it }, it)));
    const status = el("p", { class: "status", "aria-live": "polite" });
    const shown = table("Messages", columns, []);
    const body = shown.querySelector("tbody");
    const more = el("button", { type: "button", onclick: () => list(PAGE) }, "Show more");

    const list = number => {
        const rows = found.slice(listed, listed + number);
        body.append(...rows.map(at => tableRow(columns, at)));
        listed += rows.length;
        more.hidden = listed >= found.length;
    };
    // Each word must occur. `frame:72` selects a frame, `frame:72-80` a range of frames.
    const matches = query => {
        const tests = query.toLowerCase().split(/\s+/).filter(it => it).map(word => {
            const range = /^frame:(\d+)(?:-(\d+))?$/.exec(word);
            if (!range) return at => words[at].includes(word);
            const [from, to] = [Number(range[1]), Number(range[2] ?? range[1])];
            return at => frame[at] >= from && frame[at] <= to;
        });
        return at => tests.every(test => test(at)) && (choice.value === "" || command[at] === choice.value);
    };
    const run = () => {
        const test = matches(search.value);
        found = frame.map((_, at) => at).filter(test);
        listed = 0;
        body.replaceChildren();
        list(PAGE);
        status.textContent = `${count(found.length)} of ${further > 0 ? "the first " : ""}${plural(frame.length, "message")}`;
    };
    search.addEventListener("input", run);
    choice.addEventListener("change", run);
    run();

    const shell = (note, frames, all = "") => {
        if (!capture.arguments) return null;
        const line = ["gdwire decode", all, frames ? `--frames ${frames}` : "", capture.arguments].filter(it => it).join(" ");
        return el("p", { class: "more" }, note, " ", el("code", null, line));
    };
    const hint = el("div", { class: "hint" });
    // The frames of the messages around frames in which no message ends.
    const around = (first, last) => {
        const before = frame.filter(it => it < first).sort((one, other) => other - one);
        const after = frame.filter(it => it > last).sort((one, other) => one - other);
        return [before[Math.min(AROUND, before.length) - 1] ?? first, after[Math.min(AROUND, after.length) - 1] ?? last];
    };
    const showFrame = (first, last = first) => {
        choice.value = "";
        const select = (from, to) => {
            search.value = from === to ? `frame:${from}` : `frame:${from}-${to}`;
            run();
            return from === to ? `${from}` : `${from}-${to}`;
        };
        let frames = select(first, last);
        let [note, inFull, all] = ["", "In full:", ""];
        if (found.length === 0 && further > 0 && frame.every(it => it < first)) {
            frames = `${Math.max(1, first - AROUND)}-${last + AROUND}`;
            [note, inFull] = [`The table ends before ${between(first, last)}.`, "To see the messages around it:"];
        } else if (found.length === 0) {
            frames = select(...around(first, last));
            note = `No message ends in ${between(first, last)}; these are the messages around it.`;
            [inFull, all] = ["In full, with all other packets:", "--all"];
        }
        const line = shell(`${note} ${inFull}`.trim(), frames, all) ?? (note ? el("p", { class: "more" }, note) : null);
        hint.replaceChildren(...[line].filter(it => it));
        document.getElementById("messages").scrollIntoView();
        search.focus({ preventScroll: true });
    };
    search.addEventListener("input", () => hint.replaceChildren());

    // The note about messages that the table does not have stands next to the search, which does not find them either.
    const extent = `The search covers the first ${count(frame.length)} of ${plural(frame.length + further, "message")}.`;
    const rest = further === 0 ? null
        : shell(`${extent} To see the others:`, `${frame[frame.length - 1]}-`)
            ?? el("p", { class: "more" }, `${extent} The others came from a pipe or an interface and are not kept. Write such traffic to a file first, for example with `, el("code", null, "dumpcap -w game.pcapng"), ", and give that file to gdwire.");
    const whole = further === 0 ? shell("To see them in full:", "") : null;
    const element = frame.length === 0
        ? el("p", null, "There are no messages.")
        : el("div", null,
            el("div", { class: "controls" },
                el("label", { for: "search" }, "Search"), search,
                el("label", { for: "command" }, "Command"), choice,
            ),
            rest, status, hint, shown, more, whole,
        );
    return { element, showFrame };
};
