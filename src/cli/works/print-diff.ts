import { unifiedDiff } from '../../util/text-diff.ts';
import { visibleText } from '../output/visible-text.ts';
import type { ShownPair } from '../../core/previews/shown-object.ts';

/** All differences in the form of `diff -u -N LIVE MERGED`. Empty when there are none. */
export function printDiff(pairs: ReadonlyMap<string, ShownPair>, isColored: boolean): string {
  let text = '';
  for (const [name, { live, merged }] of pairs) {
    const names = { from: `LIVE/${name}`, to: `MERGED/${name}` };
    const difference = unifiedDiff(live, merged, names);
    if (difference !== '') text += `diff -u -N ${names.from} ${names.to}\n${difference}`;
  }
  return isColored ? colored(visibleText(text)) : visibleText(text);
}

const colors: readonly [RegExp, number][] = [
  [/^(diff -u|--- LIVE\/|\+\+\+ MERGED\/)/, 1],
  [/^@@/, 36],
  [/^-/, 31],
  [/^\+/, 32],
];

function colored(text: string): string {
  return text
    .split('\n')
    .map(line => {
      const color = colors.find(([pattern]) => pattern.test(line))?.[1];
      return color === undefined ? line : `\u001b[${color}m${line}\u001b[0m`;
    })
    .join('\n');
}
