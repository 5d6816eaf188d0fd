// Writes numbers with units.

const count = number => number.toLocaleString("en-US");

// Bytes in decimal units, as `gdwire stats` prints them.
const byteUnits = ["B", "kB", "MB", "GB", "TB"];
const byteUnit = most => {
    let unit = 0;
    while (most >= 1000 ** (unit + 1) && unit < byteUnits.length - 1) unit++;
    return { name: byteUnits[unit], size: 1000 ** unit };
};
const bytes = number => {
    const unit = byteUnit(number);
    return `${unit.size === 1 ? number : (number / unit.size).toFixed(2)} ${unit.name}`;
};

const rate = (bytes, seconds) => {
    const unit = byteUnit(bytes / seconds);
    return `${short(bytes / seconds / unit.size)} ${unit.name}/s`;
};

const percent = (part, whole) => (whole > 0 ? `${((part * 100) / whole).toFixed(1)}%` : "–");

// A number with as many decimals as it needs to show three digits.
const short = number => {
    if (number === 0) return "0";
    const size = Math.abs(number);
    if (size < 0.001) return number.toPrecision(1);
    return size >= 100 ? count(Math.round(number)) : number.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
};

// The labels of an axis, all with the number of decimals that the distance between them needs.
const decimalsOf = distance => {
    for (let decimals = 0; decimals < 9; decimals++) {
        const whole = distance * 10 ** decimals;
        if (Math.abs(whole - Math.round(whole)) < whole * 1e-6) return decimals;
    }
    return 9;
};
const labels = ticks => {
    if (ticks.some(it => Math.abs(it) >= 1e12)) return ticks.map(it => it.toExponential(3));
    const decimals = decimalsOf(ticks.length > 1 ? ticks[1] - ticks[0] : 1);
    return ticks.map(tick => tick.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
};

// Further decimals of a time are cut off, as in `gdwire decode`: rounded, it could be after the capture's end.
const cut = (seconds, decimals) => {
    const unit = 10 ** decimals;
    // Adds a little, because a binary fraction may be slightly smaller than the decimal one.
    return ((Math.sign(seconds) * Math.floor(Math.abs(seconds) * unit + 5e-7)) / unit).toFixed(decimals);
};

// Seconds since the start: as seconds in a short capture, else as hours, minutes and seconds.
const isLong = seconds => seconds >= 180;
const clock = (seconds, length, decimals = 0) => {
    if (!isLong(length)) return cut(seconds, Math.max(decimals, 1));
    const whole = Math.abs(seconds);
    const [days, hours, minutes] = [whole / 86400, (whole % 86400) / 3600, (whole % 3600) / 60].map(Math.floor);
    const rest = cut(whole % 60, decimals).padStart(decimals ? decimals + 3 : 2, "0");
    const day = days > 0 ? `${count(days)} d ` : "";
    const hour = days > 0 || hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes;
    return `${seconds < 0 ? "−" : ""}${day}${hour}:${rest}`;
};

// The distances between the marks of an axis of time.
const tens = (from, to) => Array.from({ length: to - from }, (_, at) => [1, 2, 5].map(it => it * 10 ** (from + at))).flat();
const clockSteps = length =>
    isLong(length)
        ? [...tens(-4, 1), 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, ...tens(0, 8).map(it => it * 86400)]
        : tens(-4, 3);
// The labels of an axis of time.
const clocks = (ticks, length) => {
    const decimals = decimalsOf(ticks.length > 1 ? ticks[1] - ticks[0] : 1);
    return ticks.map(tick => clock(tick, length, decimals));
};
const timeUnit = length => (isLong(length) ? "h:min:s" : "s");
const moment = (seconds, length) =>
    seconds === null ? "no time" : clock(seconds, length, 3) + (isLong(length) ? "" : " s");

const plural = (number, noun, nouns = `${noun}s`) => `${count(number)} ${number === 1 ? noun : nouns}`;

const between = (from, to) => (from === to ? `frame ${from}` : `frames ${from}–${to}`);
