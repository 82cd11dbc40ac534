export const levels = ['error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];

/** Something that a container wrote, or that is said about it. */
export interface LogLine {
  readonly id: number;
  /** When, as the kubelet says: RFC 3339 with nanoseconds, so that it sorts as text. */
  readonly at: string;
  readonly pod: string;
  readonly container: string;
  readonly text: string;
  readonly level: Level | undefined;
  /** Not written by the container: that it was started again, say. */
  readonly isNote: boolean;
}

/** A line with its time before it, as `timestamps=true` gives it. */
export function splitTime(line: string): { readonly at: string; readonly text: string } {
  const [, at = '', text = line] = /^(\d{4}-\d\d-\d\dT\S+) ?(.*)$/s.exec(line) ?? [];
  return { at, text };
}

const words: readonly (readonly [Level, RegExp])[] = [
  ['error', /^(?:e|err|error|fatal|f|panic|crit|critical|alert|emerg|emergency|severe)$/i],
  ['warning', /^(?:w|warn|warning)$/i],
  ['info', /^(?:i|info|notice)$/i],
  ['debug', /^(?:d|debug|trace|verbose)$/i],
];

const levelOfWord = (word: string): Level | undefined => words.find(([, pattern]) => pattern.test(word))?.[0];

/** Where programs say how bad it is: a field of JSON or logfmt, the letter of klog, a word in capitals or brackets near the beginning. */
const places = [
  /"(?:level|severity|lvl|loglevel)"\s*:\s*"(\w+)"/i,
  /(?:^|\s)(?:level|severity|lvl)=["']?(\w+)/i,
  /^([IWEF])\d{4} \d\d:\d\d:\d\d/,
  /^.{0,60}?\[(error|err|warn|warning|info|notice|debug|trace|crit|alert|emerg|fatal)\]/i,
  /^.{0,60}?\b(ERROR|ERR|FATAL|PANIC|CRITICAL|SEVERE|WARN|WARNING|INFO|NOTICE|DEBUG|TRACE)\b/,
  /^(panic|fatal|error|warning|fatal error)\b:/i,
];

/** How bad a line is by its own words; undefined when it does not say. */
export function levelOf(text: string): Level | undefined {
  const start = text.slice(0, 2000);
  for (const place of places) {
    const word = place.exec(start)?.[1];
    const level = word === undefined ? undefined : levelOfWord(word.replace(/^fatal error$/i, 'fatal'));
    if (level) return level;
  }
  return undefined;
}

const longestLine = 10_000;

/** Colours of terminals are left out; other control characters are shown, never obeyed. What nobody reads of a line that has no end is left out. */
export function visible(text: string): string {
  const cut = text.length > longestLine ? `${text.slice(0, longestLine)}… (${text.length.toLocaleString()} characters)` : text;
  return cut
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .replace(/\r$/, '')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, one => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Those that have the words and are at least so bad. */
export function linesWith(
  lines: readonly LogLine[],
  { words: wanted, level }: { words: string; level: Level | undefined },
): readonly LogLine[] {
  const text = wanted.toLowerCase();
  const bad = level && new Set<Level | undefined>(levels.slice(0, levels.indexOf(level) + 1));
  if (text === '' && !bad) return lines;
  return lines.filter(one => (!bad || bad.has(one.level) || one.isNote) && (text === '' || one.text.toLowerCase().includes(text)));
}
