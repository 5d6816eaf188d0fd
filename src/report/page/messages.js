// The table of messages, and its search.

const PAGE = 100;

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
        status.textContent = `${count(found.length)} of ${plural(frame.length, "message")}`;
    };
    search.addEventListener("input", run);
    choice.addEventListener("change", run);
    run();

    const shell = (note, frames) => {
        if (!capture.arguments) return null;
        const line = ["gdwire decode", frames ? `--frames ${frames}` : "", capture.arguments].filter(it => it).join(" ");
        return el("p", { class: "more" }, note, " ", el("code", null, line));
    };
    const hint = el("div", { class: "hint" });
    const showFrame = (first, last = first) => {
        choice.value = "";
        search.value = first === last ? `frame:${first}` : `frame:${first}-${last}`;
        run();
        const frames = first === last ? `${first}` : `${first}-${last}`;
        const note = found.length > 0 ? "In full:" : "This table does not have that frame, or no message ended in it. To see it:";
        hint.replaceChildren(...[shell(note, frames)].filter(it => it));
        document.getElementById("messages").scrollIntoView();
        search.focus({ preventScroll: true });
    };
    search.addEventListener("input", () => hint.replaceChildren());

    const note = further > 0
        ? shell(`These are the first ${plural(frame.length, "message")}; ${count(further)} more follow. To see them:`, `${frame[frame.length - 1]}-`)
        : shell("To see them in full:", "");
    const element = frame.length === 0
        ? el("p", null, "There are no messages.")
        : el("div", null,
            el("div", { class: "controls" },
                el("label", { for: "search" }, "Search"), search,
                el("label", { for: "command" }, "Command"), choice,
            ),
            status, hint, shown, more, note,
        );
    return { element, showFrame };
};
