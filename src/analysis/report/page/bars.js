// Tables with bars, which show what uses the bandwidth.

// A bar of parts, each {size, colour, title}; `whole` is the longest bar of the table.
const bar = (parts, whole) => {
    const shown = el("span", { class: "bar" });
    for (const { size, colour, title } of parts) {
        const part = el("span", { title });
        part.style.width = `${whole > 0 ? (size * 100) / whole : 0}%`;
        part.style.background = `var(${colour})`;
        shown.append(part);
    }
    return shown;
};

const legendOf = parts =>
    el("ul", { class: "legend" }, parts.map(([label, variable]) => {
        const swatch = el("span", { class: "swatch box" });
        swatch.style.color = `var(${variable})`;
        return el("li", null, el("span", { class: "entry" }, swatch, label));
    }));

// The columns that name a row of `stats`.
const itemColumns = {
    // Nodes that are alike share a row, which lists them when it is opened.
    node: { title: "node", cell: row => (row.nodes ? closedTable(nodeOf(row), () => nodesOf(row), "alike") : nodeOf(row)) },
    member: title => ({ title, cell: row => name(row.member ?? "") }),
    command: { title: "command", cell: row => row.command ?? "" },
};

const nodeOf = ({ node, alike }) => el("span", null, name(node), alike ? [" ", el("bdi", { class: "more" }, `(${alike})`)] : null);
const nodesOf = ({ node, nodes, further }) =>
    el("div", null,
        table(node, [
            { title: "node", cell: row => name(row.node) },
            { title: "count", number: true, cell: row => count(row.count) },
            { title: "bytes", number: true, cell: row => bytes(row.bytes) },
        ], nodes),
        further > 0 ? el("p", { class: "more" }, `And ${plural(further, "more node")}; gdwire stats --nodes lists them.`) : null,
    );

const senders = [
    ["from the server", "--series-1"],
    ["from clients", "--series-5"],
    ["sender not known", "--series-other"],
];

const itemTable = (capture, caption, { top, further }, columns) => {
    if (top.length === 0) return null;
    const most = Math.max(...top.map(it => it.bytes));
    const parts = row => {
        const sizes = [row.from_server, row.from_clients, row.bytes - row.from_server - row.from_clients];
        return senders.map(([label, variable], at) => ({ size: sizes[at], colour: variable, title: `${bytes(sizes[at])} ${label}` })).filter(it => it.size > 0);
    };
    const shown = table(caption, [
        ...columns,
        { title: "count", number: true, cell: row => count(row.count) },
        { title: "bytes", number: true, cell: row => bytes(row.bytes) },
        { title: "share", number: true, cell: row => percent(row.bytes, capture.message_bytes) },
        { title: hidden("bytes, as a bar"), class: "bars", cell: row => bar(parts(row), most) },
    ], top);
    shown.append(legendOf(senders));
    return el("div", null, shown, further > 0 ? el("p", { class: "more" }, `And ${plural(further, "more row")}; gdwire stats lists them.`) : null);
};

const amountTable = (caption, title, rows, label) => {
    if (rows.length === 0) return null;
    const most = Math.max(...rows.map(it => it.bytes));
    return table(caption, [
        { title, cell: label },
        { title: "count", number: true, cell: row => count(row.count) },
        { title: "bytes", number: true, cell: row => bytes(row.bytes) },
        { title: hidden("bytes, as a bar"), class: "bars", cell: row => bar([{ size: row.bytes, colour: "--series-1", title: bytes(row.bytes) }], most) },
    ], rows);
};

// The bytes of each direction on the wire: messages, the rest of the payload, and the headers of the layers below.
const layers = [
    ["messages", "--series-3"],
    ["ENet, WebSocket, acknowledgements, sent again", "--series-5"],
    ["UDP or TCP, IP and link headers", "--series-other"],
];

const layerTable = capture => {
    const rows = capture.connections
        .filter(it => it.transport !== null)
        .flatMap(it => it.directions)
        .filter(it => it.packets > 0);
    if (rows.length === 0) return null;
    const most = Math.max(...rows.map(it => it.wire_bytes));
    // Compressed messages are longer than the payloads that carried them.
    const sizes = row => {
        const messages = Math.min(row.message_bytes, row.payload_bytes);
        return [messages, row.payload_bytes - messages, row.wire_bytes - row.payload_bytes];
    };
    const isCompressed = rows.some(it => it.message_bytes > it.payload_bytes);
    const shown = table("Bytes on the wire, by layer", [
            { title: "sender → receiver", cell: row => name(`${row.src} → ${row.dst}`) },
            { title: "wire", number: true, cell: row => bytes(row.wire_bytes) },
            { title: "messages", number: true, cell: row => percent(sizes(row)[0], row.wire_bytes) },
            { title: "transport", number: true, cell: row => percent(sizes(row)[1], row.wire_bytes) },
            { title: "headers", number: true, cell: row => percent(sizes(row)[2], row.wire_bytes) },
            { title: hidden("bytes, as a bar"), class: "bars", cell: row => bar(sizes(row).map((size, at) => ({ size, colour: layers[at][1], title: `${bytes(size)}: ${layers[at][0]}` })), most) },
    ], rows);
    shown.append(legendOf(layers));
    return el("div", null,
        shown,
        isCompressed ? el("p", { class: "more" }, "Compressed packets count as messages only.") : null,
    );
};

const connectionTable = capture => {
    const rows = capture.connections.flatMap(it => it.directions.map(direction => ({ ...it, ...direction }))).filter(it => it.packets > 0);
    const unknown = capture.flows - capture.connections.length;
    const number = (title, cell) => ({ title, number: true, cell });
    return el("div", null,
        table("Connections, by sender and receiver", [
            { title: "sender → receiver", cell: row => name(`${row.src} → ${row.dst}`) },
            { title: "transport", cell: row => row.transport ?? (row.tcp ? "other TCP" : "other UDP") },
            { title: "engine", cell: row => (row.engine ?? "–") + (row.multiplayer ? ", multiplayer" : "") },
            number("packets", row => count(row.packets)),
            number("wire", row => bytes(row.wire_bytes)),
            number("messages", row => count(row.messages)),
            number("sent again", row => count(row.resent)),
            number("missing", row => count(row.missing)),
            number("RTT median", row => (row.rtt_ms.length > 0 ? `${short(row.rtt_ms[1])} ms` : "–")),
            number("RTT 95%", row => (row.rtt_ms.length > 0 ? `${short(row.rtt_ms[2])} ms` : "–")),
        ], rows),
        unknown > 0 ? el("p", { class: "more" }, `And ${plural(unknown, "more connection")}; gdwire stats lists them.`) : null,
    );
};
