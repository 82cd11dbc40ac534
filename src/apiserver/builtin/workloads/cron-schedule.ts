interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: Readonly<Record<string, number>>;
}

const named = (list: string, first: number) => Object.fromEntries(list.split(' ').map((name, i) => [name, i + first]));
export const cronFields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: named('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { min: 0, max: 6, names: named('sun mon tue wed thu fri sat', 0) },
];
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** What is wrong with a cron schedule, in the words of the parser the real server uses; undefined when it is fine. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string';
  let text = schedule;
  if (text.startsWith('TZ=') || text.startsWith('CRON_TZ=')) {
    const space = text.indexOf(' ');
    const equals = text.indexOf('=');
    if (space < 0) return `invalid schedule format: runtime error: slice bounds out of range [${equals + 1}:-1]`;
    const zone = text.slice(equals + 1, space);
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    text = text.slice(space).trim();
  }
  if (text.startsWith('@')) return descriptorProblem(text);
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length !== cronFields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [i, part] of parts.entries()) {
    const problem = fieldProblem(part, cronFields[i]!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const duration = text.slice('@every '.length);
  if (/^[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$/.test(duration) && duration !== '') return undefined;
  return `failed to parse duration ${text}: time: ${durationProblem(duration)}`;
}

function durationProblem(duration: string): string {
  const quoted = JSON.stringify(duration);
  const unit = /^[-+]?(?:[0-9.]+(?:ns|us|µs|μs|ms|s|m|h))*[0-9.]+([^0-9.]*)/.exec(duration)?.[1];
  if (unit === undefined) return `invalid duration ${quoted}`;
  return unit === '' ? `missing unit in duration ${quoted}` : `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',').filter(Boolean)) {
    const problem = rangeProblem(range, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function rangeProblem(text: string, { min, max, names }: Bounds): string | undefined {
  const [ends = '', ...steps] = text.split('/');
  const [low = '', ...high] = ends.split('-');
  let start = min;
  let end = max;
  if (low !== '*' && low !== '?') {
    const first = parseNumber(low, names);
    if (typeof first === 'string') return first;
    if (high.length > 1) return `too many hyphens: ${text}`;
    const last = high[0] === undefined ? first : parseNumber(high[0], names);
    if (typeof last === 'string') return last;
    [start, end] = [first, last];
  }
  if (steps.length > 1) return `too many slashes: ${text}`;
  let step = 1;
  if (steps[0] !== undefined) {
    const parsed = parseNumber(steps[0]);
    if (typeof parsed === 'string') return parsed;
    step = parsed;
    if (high.length === 0) end = max;
  }
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function parseNumber(text: string, names?: Readonly<Record<string, number>>): number | string {
  const name = names?.[text.toLowerCase()];
  if (name !== undefined) return name;
  if (!/^[-+]?[0-9]+$/.test(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

const knownZones = new Map<string, boolean>();

/** Whether the tz database knows a zone. */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC' || name === '') return true;
  let isKnown = knownZones.get(name);
  if (isKnown !== undefined) return isKnown;
  try {
    isKnown = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    isKnown = false;
  }
  knownZones.set(name, isKnown);
  return isKnown;
}
