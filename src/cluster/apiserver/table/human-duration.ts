const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24;
const YEAR = 365 * DAY;

/** An age the way Kubernetes prints it: two or three significant figures (`5s`, `3m12s`, `4h`, `2d3h`). `ms` below −1 s is `<invalid>`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / HOUR);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 2 * DAY) return `${hours}h`;
  const days = Math.trunc(hours / DAY);
  if (hours < 8 * DAY) return pair(days, "d", hours % DAY, "h");
  if (hours < 2 * YEAR) return `${days}d`;
  const years = Math.trunc(hours / YEAR);
  return hours < 8 * YEAR ? pair(years, "y", days % 365, "d") : `${years}y`;
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;

/** The age of an RFC 3339 time; `<unknown>` when there is none, `<invalid>` when it is not a time. */
export function ageOf(timestamp: unknown, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>";
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? "<invalid>" : humanDuration(now - time);
}
