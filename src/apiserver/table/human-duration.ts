/** A duration as tables show ages: two units at most, coarser the longer it is. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // A clock that runs a little ahead is forgiven.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/** The time since a timestamp; `<unknown>` when there is none. */
export function ageOf(timestamp: string | undefined, now: Date): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now.getTime() - then);
}
