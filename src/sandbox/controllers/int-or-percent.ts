/** A count, or a part of a whole. What cannot be read counts as nothing: validation has refused it elsewhere. */
export function resolveIntOrPercent(value: number | string | undefined, whole: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const percent = /^([0-9]+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const part = (Number(percent) * whole) / 100;
  return round === 'up' ? Math.ceil(part) : Math.floor(part);
}
