// Numbers as people read them, with their units.

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

const percent = (part, whole) => (whole > 0 ? `${((part * 100) / whole).toFixed(1)}%` : "–");

// A number with as many decimals as it needs to show three digits.
const short = number => {
    if (number === 0) return "0";
    const size = Math.abs(number);
    return size >= 100 ? count(Math.round(number)) : number.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
};

// The labels of an axis: all with as many decimals as the distance between them needs.
const labels = ticks => {
    const distance = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    const decimals = Math.min(Math.max(Math.ceil(-Math.log10(distance) - 1e-9), 0), 4);
    return ticks.map(tick => tick.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
};

// Seconds since the start: as seconds in a short capture, else as hours, minutes and seconds.
const isLong = seconds => seconds >= 180;
const clock = (seconds, length, decimals = 0) => {
    if (!isLong(length)) return `${seconds.toFixed(Math.max(decimals, 1))}`;
    const whole = Math.abs(seconds);
    const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
    const rest = (whole % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
    const [hours, minutes] = parts;
    const text = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
    return seconds < 0 ? `−${text}` : text;
};
const timeUnit = length => (isLong(length) ? "h:min:s" : "s");
const moment = (seconds, length) =>
    seconds === null ? "no time" : clock(seconds, length, 3) + (isLong(length) ? "" : " s");

const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

const between = (from, to) => (from === to ? `frame ${from}` : `frames ${from}–${to}`);
