import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds from `10s`, `1m30s`, `500ms`, or plain seconds. */
export function parseSeconds(text: string): number {
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$|^[0-9]+$/.test(text)) throw new InvalidArgumentError('It is not a time such as 10s or 1m30s.');
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?/g)) total += Number(amount) * units[unit]!;
  if (total <= 0) throw new InvalidArgumentError('It must be longer than nothing.');
  return total;
}

/** `-C a,b -C c` as a list. */
export const collectList = (value: string, all: readonly string[]): string[] => [
  ...all,
  ...value
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== ''),
];

/** `--label a=b --label c=d` as labels. */
export function collectLabel(text: string, labels: Readonly<Record<string, string>>): Record<string, string> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It is not KEY=VALUE.');
  const key = text.slice(0, at);
  if (Object.hasOwn(labels, key)) throw new InvalidArgumentError(`Label "${key}" is given twice.`);
  return { ...labels, [key]: text.slice(at + 1) };
}
