// The numbers of one property over time, chosen by node and property.

const numberPlot = (capture, { property, changes, every, time, number }) => {
    const length = zoom.whole[1];
    const numbers = number.filter(it => it !== null);
    const isCount = numbers.every(Number.isInteger);
    return overTime(capture, {
        title: "Numbers over time",
        note: every > 1 ? `One of every ${count(every)} changes is shown, and the last one.` : "Every change is shown.",
        unit: "value",
        x: time,
        xText: place => moment(time[place], length),
        yRange: (_, min, max) => {
            if (min === null || max === null) return [0, 1];
            // Numbers have 15 digits: the marks of the axis must not be closer.
            const size = Math.max(Math.abs(min), Math.abs(max));
            const room = Math.max((max - min) * 0.05, size * 1e-12, max > min ? 0 : size * 0.05) || 1;
            return [min - room, max + room];
        },
        isCount,
        text: String,
        cell: String,
        series: [{ label: property, values: number, colour: "--series-1", isStepped: true, total: plural(changes, "change") }],
    });
};

const numbersOverTime = capture => {
    const { top, further } = capture.numbers;
    if (top.length === 0) return null;
    const byName = names => [...new Set(names)].sort();
    const choose = options => options.map(it => el("option", { value: it }, it));
    const node = el("select", { id: "node", onchange: () => showProperties() }, choose(byName(top.map(it => it.node))));
    const property = el("select", { id: "property", onchange: () => showPlot() });
    const holder = el("div");
    let plot = null;
    const showPlot = () => {
        if (plot) plot.remove();
        plot = numberPlot(capture, top.find(it => it.node === node.value && it.property === property.value));
        holder.replaceChildren(plot.figure);
        plot.draw();
    };
    const showProperties = () => {
        // The property that changes most is the first one in the list.
        const of = top.filter(it => it.node === node.value).map(it => it.property);
        property.replaceChildren(...choose(byName(of)));
        property.value = of[0];
        showPlot();
    };
    node.value = top[0].node;
    const figure = el("div", null,
        el("p", { class: "controls" }, el("label", null, "Node ", node), el("label", null, "Property or method ", property)),
        holder,
        further > 0 ? el("p", { class: "more" }, `And ${plural(further, "change")} of other properties; gdwire states lists them.`) : null,
    );
    return { figure, draw: () => (plot ? plot.draw() : showProperties()), resize: () => plot.resize() };
};
