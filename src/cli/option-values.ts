import { InvalidArgumentError } from 'commander';
import { parseRequirements } from '../api/label-query.ts';
import { errorText } from '../util/error-text.ts';
import { durationMs, isDuration } from '../util/duration.ts';

export function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

/** A count that is not none. */
export function parseSome(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError('It must be more than none.');
  return count;
}

/** Milliseconds from `10s`, `1m30s`, `500ms`, or plain seconds. */
export function parseSeconds(text: string): number {
  const isSeconds = /^[0-9]+$/.test(text);
  if (!isSeconds && !isDuration(text)) throw new InvalidArgumentError('It is not a time such as 10s or 1m30s.');
  const total = isSeconds ? Number(text) * 1000 : durationMs(text);
  if (total <= 0) throw new InvalidArgumentError('It must be longer than nothing.');
  return total;
}

/** A query of labels as it is, when it is one: a hundred members would say so a hundred times. */
export function parseQuery(text: string): string {
  try {
    parseRequirements(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`It is no query of labels such as app=web or 'env in (prod,test),!canary': ${errorText(error)}.`);
  }
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
export const collectLabel = collectPairs('Label');

/** `--var a=b --var c=d` as a map. */
export const collectPair = collectPairs('Variable');

type Pairs = Readonly<Record<string, string>>;

function collectPairs(what: string): (text: string, pairs: Pairs) => Pairs {
  return (text, pairs) => {
    const at = text.indexOf('=');
    if (at <= 0) throw new InvalidArgumentError('It is not KEY=VALUE.');
    const key = text.slice(0, at);
    if (Object.hasOwn(pairs, key)) throw new InvalidArgumentError(`${what} "${key}" is given twice.`);
    return { ...pairs, [key]: text.slice(at + 1) };
  };
}
