import type { ApiResource } from '../../client/api-resources.ts';

/** The type that somebody meant who mistyped it; undefined when none comes near. */
export function nearestType(all: readonly ApiResource[], typed: string): string | undefined {
  const [word = '', ...group] = typed.toLowerCase().split('.');
  const most = word.length < 5 ? 1 : 2;
  const names = all.flatMap(({ resource, singular, kind }) =>
    [resource, singular, kind.toLowerCase()].map(name => ({ name, resource, steps: name === '' ? Infinity : distance(name, word, most) })),
  );
  const nearest = names.filter(({ steps }) => steps <= most).sort((a, b) => a.steps - b.steps)[0];
  // Without a mistake the group is wrong: then it is known under another one.
  if (nearest?.steps === 0 && group.length === 0) return undefined;
  return nearest?.resource;
}

/** How many letters must be typed otherwise, at most one more than `most`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    before = row;
  }
  return Math.min(before[b.length]!, most + 1);
}
