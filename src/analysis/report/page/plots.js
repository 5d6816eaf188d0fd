// The plots of a capture.

const palette = [1, 2, 3, 4, 5, 6, 7, 8].map(number => `--series-${number}`);

// The middle of each interval, in seconds since the start.
const middles = ({ start, step }, length) =>
    Array.from({ length }, (_, at) => Math.max(0, start + (at + 0.5) * step));

const flowName = (capture, number, side) => {
    const { src, dst } = capture.connections.find(it => it.number === number).directions[side];
    return `${src} → ${dst}`;
};

const total = values => values.reduce((sum, value) => sum + value, 0);

// The properties that all plots over time share.
const overTime = (capture, plot) => {
    const { time } = capture;
    const length = zoom.whole[1];
    const edge = place => clock(Math.max(0, time.start + place * time.step), length, 3);
    const x = middles(time, time.resent.length);
    return makePlot({
        isTime: true,
        x,
        xUnit: `time since the first packet (${timeUnit(length)})`,
        xValues: (_, ticks) => clocks(ticks, length),
        xSteps: clockSteps(length),
        xSpace: length >= 86400 ? 110 : 60,
        xText: place => `${edge(place)} to ${edge(place + 1)}${isLong(length) ? "" : " s"}`,
        ...plot,
    });
};

// Bytes in each interval as a rate, in a unit that fits the largest.
const rates = (capture, series) => {
    const { start, step, resent } = capture.time;
    // The capture may begin and end within an interval. If it has less than half of an interval, the
    // rate is uncertain, and the shown rate is a lower bound.
    const end = capture.seconds ?? 0;
    const lengths = resent.map((_, at) => {
        const from = start + at * step;
        return Math.min(Math.max(Math.min(from + step, end) - Math.max(from, 0), step / 2), step);
    });
    const perSecond = series.map(it => it.bytes.map((bytes, at) => bytes / lengths[at]));
    const unit = byteUnit(Math.max(1, ...perSecond.flat()));
    return {
        unit: `${unit.name}/s`,
        text: value => `${short(value)} ${unit.name}/s`,
        series: series.map((it, at) => ({
            ...it,
            values: perSecond[at].map(rate => rate / unit.size),
            total: it.sum ?? bytes(total(it.bytes)),
        })),
    };
};

const trafficPlot = capture => {
    const { directions, others } = capture.time;
    const numbers = [...new Set(directions.map(it => it.connection))];
    const series = directions
        .map(it => ({
            label: flowName(capture, it.connection, it.from),
            bytes: it.bytes,
            colour: palette[numbers.indexOf(it.connection) % palette.length],
            dash: it.from === 1,
        }))
        .filter(it => total(it.bytes) > 0);
    if (total(others) > 0) series.push({ label: "all other connections", bytes: others, colour: "--series-other" });
    if (series.length === 0) return null;
    const most = series.reduce((one, other) => (total(other.bytes) > total(one.bytes) ? other : one));
    const sum = total(series.map(it => total(it.bytes)));
    return overTime(capture, {
        title: "Bytes on the wire per second, by sender and receiver",
        note: `${most.label} has ${percent(total(most.bytes), sum)} of ${bytes(sum)}, headers included.`,
        ...rates(capture, series),
    });
};

const commandPlot = capture => {
    const commands = capture.time.commands.slice().sort((one, other) => total(other.bytes) - total(one.bytes));
    if (commands.length === 0) return null;
    const series = commands.slice(0, palette.length).map((it, at) => ({ label: it.command, bytes: it.bytes, colour: palette[at] }));
    const rest = commands.slice(palette.length);
    if (rest.length > 0) {
        const sums = rest[0].bytes.map((_, place) => total(rest.map(it => it.bytes[place])));
        series.push({ label: "other commands", bytes: sums, colour: "--series-other" });
    }
    const sum = total(series.map(it => total(it.bytes)));
    return overTime(capture, {
        title: "Bytes of messages per second, by command",
        note: `${series[0].label} has ${percent(total(series[0].bytes), sum)} of ${bytes(sum)}, without headers.`,
        isStacked: true,
        ...rates(capture, series),
    });
};

const roundTripPlot = capture => {
    const directions = capture.time.directions.filter(it => it.rtt_mean_ms.some(time => time !== null));
    if (directions.length === 0) return null;
    const series = directions.flatMap((it, at) => {
        const [label, colour] = [flowName(capture, it.connection, it.from), palette[at % palette.length]];
        const { directions } = capture.connections.find(({ number }) => number === it.connection);
        const [, median, p95, max] = directions[it.from].rtt_ms;
        return [
            { label: `${label}, mean`, values: it.rtt_mean_ms, colour, dash: it.from === 1, total: `median ${short(median)} ms, 95% up to ${short(p95)} ms` },
            { label: `${label}, longest`, values: it.rtt_max_ms, colour, points: true, total: `${short(max)} ms` },
        ];
    });
    return overTime(capture, {
        title: "Round-trip time, from the capture point to the receiver and back",
        note: "The time until the other program answers is a part of it.",
        unit: "ms",
        text: value => `${short(value)} ms`,
        series,
    });
};

const lossPlot = capture => {
    const { resent, missing, step } = capture.time;
    if (!capture.connections.some(it => it.transport !== null && it.transport !== "udp")) return null;
    const title = "Messages and segments that were sent again, or are missing";
    const [again, gone] = [total(resent), total(missing)];
    if (again + gone === 0) {
        const note = el("p", { class: "readout" }, "Nothing was sent again, and nothing is missing.");
        return { figure: el("figure", null, el("figcaption", null, el("h3", null, title), note)), draw: () => {}, resize: () => {} };
    }
    return overTime(capture, {
        title,
        note: `${count(again)} sent again, ${count(gone)} missing. A missing message is counted at the next message of its channel, or at the next bytes of its stream.`,
        unit: `per ${Number(step.toFixed(3))} s`,
        text: value => count(value),
        isStacked: true,
        isBars: true,
        isCount: true,
        series: [
            { label: "sent again", values: resent, colour: "--series-5", total: count(again) },
            { label: "missing", values: missing, colour: "--series-2", total: count(gone) },
        ],
    });
};

// The losses, each when it was noticed.
const lostOf = (capture, showFrame) => {
    const { losses_over_time: rows, further_losses_over_time: further } = capture;
    if (rows.length === 0) return null;
    const length = zoom.whole[1];
    const link = ({ frame }) => el("a", { href: "#messages", onclick: event => { event.preventDefault(); showFrame(frame); } }, String(frame));
    const columns = [
        { title: "frame", number: true, cell: link },
        { title: `time (${timeUnit(length)})`, number: true, cell: ({ time: [time] }) => (time === null ? "–" : clock(time, length, 3)) },
        { title: "sender → receiver", class: "ends", cell: row => name(row.ends ?? "–") },
        { title: "count", number: true, cell: row => count(row.count) },
        { title: "lost", class: "text", cell: row => name(row.text) },
    ];
    return el("div", null,
        closedTable(`When what was lost: ${plural(rows.length + further, "loss", "losses")}`, () => table("Losses in the order of the capture", columns, rows), "values lost"),
        further > 0 ? el("p", { class: "more" }, `And ${count(further)} more; gdwire decode --format ndjson prints them.`) : null,
    );
};

// The sizes of messages in four steps for each power of two; smaller sizes have a step each.
const sizeStep = size => (size < 16 ? size : Math.floor(Math.log2(size) * 4 + 1e-9));
const stepStart = step => (step < 16 ? step : Math.ceil(2 ** (step / 4) - 1e-9));

const sizePlot = capture => {
    const { low, count: counts, spread } = capture.sizes;
    if (low.length === 0) return null;
    const [first, last] = [low[0], low[low.length - 1]].map(sizeStep);
    const x = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const values = x.map(() => 0);
    low.forEach((size, at) => (values[sizeStep(size) - first] += counts[at]));
    const [least, median, p95, most] = spread;
    return makePlot({
        title: "Number of messages, by size",
        note: `${count(least)} to ${count(most)} B; half have ${count(median)} B or less, 95% have ${count(p95)} B or less.`,
        unit: "messages",
        x,
        xUnit: "size of the message (B)",
        xValues: (_, ticks) => ticks.map(it => (Number.isInteger(it) ? count(stepStart(it)) : "")),
        xText: place => {
            const [from, to] = [stepStart(x[place]), stepStart(x[place] + 1) - 1];
            return from >= to ? `${count(from)} B` : `${count(from)} to ${count(to)} B`;
        },
        text: value => plural(value, "message"),
        isBars: true,
        isCount: true,
        series: [{ label: "messages", values, colour: "--series-1", total: count(total(values)) }],
    });
};
