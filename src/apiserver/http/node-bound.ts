import { forbidden, invalid, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Pod } from '../../api/kubernetes.ts';
import { badRequest, invalidObject, notFoundError, serviceUnavailable } from '../../api/status.ts';
import { objectOf } from '../representation.ts';
import type { Resource } from '../resource.ts';
import type { RequestScope } from './request-scope.ts';
import { findEntry } from './resource-handler.ts';

/** What only a kubelet can answer. */
export const nodeBound = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

const withContainer = new Set(['log', 'exec', 'attach']);

/** Logs, exec and proxies need the node on which a pod runs; this cluster has none of its own. A pod that runs nowhere has empty logs. */
export async function refuseNodeBound(scope: RequestScope, resource: Resource, subresource: string): Promise<void> {
  if (subresource === 'log') checkLogOptions(scope);
  const obj = await objectOf(resource, await findEntry(scope, resource));
  if (resource.storeKey === '/pods') {
    const pod = obj as unknown as Pod;
    if (withContainer.has(subresource)) checkContainer(pod, scope.info.query.get('container') ?? '');
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '') {
      if (subresource !== 'log') throw badRequest(`pod ${obj.metadata.name} does not have a host assigned`);
      scope.res.writeHead(204);
      scope.res.end();
      return;
    }
    if (!scope.cluster.peek({ group: '', resource: 'nodes' }, '', nodeName))
      throw notFoundError({ group: '', resource: 'nodes' }, nodeName);
  }
  throw noNode(resource, obj);
}

const noNode = (resource: Resource, obj: KubeObject) =>
  serviceUnavailable(`no node answers for ${resource.resource} ${JSON.stringify(obj.metadata.name)}`);

function checkLogOptions({ info: { query, resource } }: RequestScope): void {
  const sinceSeconds = wholeNumber(query, 'sinceSeconds');
  const tailLines = wholeNumber(query, 'tailLines');
  const limitBytes = wholeNumber(query, 'limitBytes');
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && query.has('sinceTime')) {
    errors.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, resource!.name, errors);
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function checkContainer({ metadata, spec }: Pod, wanted: string): void {
  const namesIn = (list: readonly { name?: string }[] | undefined) => (list ?? []).map(({ name }) => name ?? '');
  const [names, initNames, debugNames] = [spec?.containers, spec?.initContainers, spec?.ephemeralContainers].map(namesIn);
  if (wanted !== '') {
    if ([...names!, ...initNames!, ...debugNames!].includes(wanted)) return;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata?.name}`);
  }
  if (names!.length === 1) return;
  const inits = initNames!.length > 0 ? ` or one of the init containers: [${initNames!.join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${metadata?.name}, choose one of: [${names!.join(' ')}]${inits}`);
}
