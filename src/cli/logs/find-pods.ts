import { StatusError } from '../../api/status.ts';
import { selectorDemands, type LabelSelector } from '../../api/label-selector.ts';
import type { Requirement } from '../../api/label-query.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';
import { objectsOf } from '../get/answers.ts';
import { fetchList, fetchNamed, type Query } from '../get/fetch.ts';
import { withResources, type ApiSource } from '../resources/api-source.ts';
import { resolveRequests, type ResourceArguments } from '../resources/resource-arguments.ts';

/** The pods that are meant on one member: those that are named, those of workloads and services that are, or those that a selector finds. */
export function findPods(
  source: ApiSource,
  wanted: ResourceArguments | undefined,
  query: Query,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  return withResources(source, signal, async resources => {
    const [pods] = resolveRequests(resources, { by: 'type', types: ['pods'] });
    const listed = async (labelSelector: string | undefined) =>
      (await fetchList(source.client, pods!.resource, { ...query, labelSelector }, signal)).flatMap(objectsOf);
    if (!wanted) return listed(query.labelSelector);
    const found: JsonObject[] = [];
    for (const { resource, names = [] } of resolveRequests(resources, wanted))
      for (const { name } of names) {
        const object = await fetchNamed(source.client, resource, name, query, signal);
        if (resource.resource === 'pods' && resource.group === '') found.push(object);
        else found.push(...(await listed(selectorOf(object))));
      }
    return found;
  });
}

/** That a member has no such object is an answer. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 404 && error.details?.kind !== 'clusters';

function selectorOf({ kind, metadata, spec }: JsonObject): string {
  const selector = isJsonObject(spec) ? spec['selector'] : undefined;
  const name = isJsonObject(metadata) ? String(metadata['name']) : '';
  if (!isJsonObject(selector) || Object.keys(selector).length === 0)
    throw new CommandError(`${String(kind)} "${name}" has no pods`, { hint: 'name a pod, or choose pods with -l' });
  const isPlain = Object.values(selector).every(value => typeof value === 'string');
  return selectorDemands((isPlain ? { matchLabels: selector } : selector) as LabelSelector)
    .map(printDemand)
    .join(',');
}

function printDemand({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  return operator === 'in' || operator === 'notin' ? `${key} ${operator} (${values.join(',')})` : `${key}${operator}${values.join('')}`;
}
