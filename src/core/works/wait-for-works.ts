import { findCondition } from '../../api/conditions.ts';
import { workConditions, type Work } from '../../api/work.ts';

/** Why a Work has to wait for others, in one line; undefined when it need not. `find` knows the Works of the same cluster. */
export function waitsFor(work: Work, find: (name: string) => Work | undefined): string | undefined {
  const names = [...(work.spec.after ?? [])].sort();
  const missing = names.filter(name => find(name) === undefined);
  const unready = names.filter(name => !missing.includes(name) && !isReady(find(name)!));
  if (missing.length === 0 && unready.length === 0) return undefined;
  const circle = findCircle(work, find);
  if (circle) return `Works wait for each other in a circle: ${circle.map(quote).join(' after ')}`;
  const parts = [
    ...(unready.length > 0 ? [`Waits until ${list(unready)} ${unready.length > 1 ? 'are' : 'is'} ready`] : []),
    ...(missing.length > 0 ? [`${unready.length > 0 ? 'there' : 'There'} is no Work ${list(missing)}`] : []),
  ];
  return parts.join('; ');
}

/** As its present spec says, not an earlier one. */
export function isReady(work: Work): boolean {
  const ready = findCondition(work, workConditions.ready);
  return ready?.status === 'True' && ready.observedGeneration === work.metadata.generation;
}

function findCircle(work: Work, find: (name: string) => Work | undefined): string[] | undefined {
  const start = work.metadata.name!;
  const seen = new Set<string>();
  const walk = (one: Work, path: readonly string[]): string[] | undefined => {
    for (const name of one.spec.after ?? []) {
      if (name === start) return [...path, name];
      const next = find(name);
      if (!next || seen.has(name)) continue;
      seen.add(name);
      const circle = walk(next, [...path, name]);
      if (circle) return circle;
    }
    return undefined;
  };
  return walk(work, [start]);
}

const quote = (name: string) => `"${name}"`;

function list(names: readonly string[]): string {
  const first = names.slice(0, 3).map(quote).join(', ');
  return names.length > 3 ? `${first} and ${names.length - 3} more` : first;
}
