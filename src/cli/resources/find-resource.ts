import type { ApiResource } from '../../client/api-resources.ts';

/** What people may write for a type: `pods`, `pod`, `po`, `deployments.apps`, `deployments.v1.apps`, `Deployment`. */
export function findResource(all: readonly ApiResource[], argument: string): ApiResource | undefined {
  const word = argument.toLowerCase();
  const [name = '', ...rest] = word.split('.');
  if (rest.length > 0) {
    const [version, ...group] = rest;
    const exact = inGroup(all, name, one => one.version === version && one.group === group.join('.'));
    return (
      exact ?? inGroup(all, name, one => one.group === rest.join('.')) ?? inGroup(all, name, one => one.group.startsWith(rest.join('.')))
    );
  }
  // On a hub several dialects have clusters; ours are meant unless another group is named.
  return inGroup(all, name, isOwn) ?? inGroup(all, name, () => true);
}

const isOwn = ({ group }: ApiResource) => group === 'drover.io' || group.endsWith('.drover.io');

/** Full names win over short names, and among equals what the server lists first. */
function inGroup(all: readonly ApiResource[], name: string, isWanted: (one: ApiResource) => boolean): ApiResource | undefined {
  const wanted = all.filter(isWanted);
  return (
    wanted.find(one => one.resource === name) ??
    wanted.find(one => one.singular === name || one.kind.toLowerCase() === name) ??
    wanted.find(one => one.shortNames.includes(name))
  );
}

/** The members of a category such as `all`, each kind once. */
export function resourcesInCategory(all: readonly ApiResource[], category: string): ApiResource[] {
  const found = new Map<string, ApiResource>();
  for (const one of all) {
    const key = `${one.resource}.${one.group}`;
    if (one.categories.includes(category) && one.verbs.includes('list') && !found.has(key)) found.set(key, one);
  }
  return [...found.values()];
}
