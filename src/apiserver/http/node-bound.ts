import { once } from 'node:events';
import { forbidden, invalid, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Pod } from '../../api/kubernetes.ts';
import { badRequest, invalidObject, notFoundError, serviceUnavailable, type StatusError } from '../../api/status.ts';
import { objectOf } from '../representation.ts';
import type { Resource } from '../resource.ts';
import { canonicalTime, TimeError } from '../schema/go-time.ts';
import type { RequestScope } from './request-scope.ts';
import { findEntry } from './resource-handler.ts';

/** What only a kubelet can answer. */
export const nodeBound = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

const withContainer = new Set(['log', 'exec', 'attach']);

export interface LogOptions {
  readonly container: string;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Only what was written at this time or later. */
  readonly since?: Date;
}

/** Answers for the nodes of a cluster. */
export interface Kubelets {
  /**
   * The log of a container in pieces of whole lines. With `follow` it goes on until the container ends or the signal comes. Throws
   * StatusError before the first piece when there is no log.
   */
  readLog(pod: Pod, options: LogOptions, signal: AbortSignal): AsyncIterable<string>;
  /** Why nothing can be started in what is named so (`pod "web"`), or reached through it. */
  refusal(subresource: string, named: string): StatusError;
}

/** Logs, exec and proxies need the node on which a pod runs. Without kubelets nobody answers; a pod that runs nowhere has empty logs. */
export async function serveNodeBound(scope: RequestScope, resource: Resource, subresource: string, kubelets?: Kubelets): Promise<void> {
  if (subresource === 'log') checkLogOptions(scope);
  const obj = await objectOf(resource, await findEntry(scope, resource));
  const { query } = scope.info;
  if (resource.storeKey === '/pods') {
    const pod = obj as unknown as Pod;
    if (withContainer.has(subresource)) checkContainer(pod, query.get('container') ?? '');
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '') {
      if (subresource !== 'log') throw badRequest(`pod ${obj.metadata.name} does not have a host assigned`);
      scope.res.writeHead(204);
      scope.res.end();
      return;
    }
    if (!scope.cluster.peek({ group: '', resource: 'nodes' }, '', nodeName))
      throw notFoundError({ group: '', resource: 'nodes' }, nodeName);
    if (kubelets && subresource === 'log')
      return sendLog(scope, kubelets.readLog(pod, logOptions(query, pod, scope.ctx.now), scope.ctx.signal));
  }
  throw kubelets?.refusal(subresource, `${resource.singular} ${JSON.stringify(obj.metadata.name)}`) ?? noNode(resource, obj);
}

async function sendLog({ res, ctx }: RequestScope, log: AsyncIterable<string>): Promise<void> {
  for await (const piece of log) {
    if (!res.headersSent) res.writeHead(200, { 'Content-Type': 'text/plain' });
    if (!res.write(piece)) await once(res, 'drain', { signal: ctx.signal });
  }
  if (!res.headersSent) res.writeHead(200, { 'Content-Type': 'text/plain' });
  res.end();
}

function logOptions(query: URLSearchParams, pod: Pod, now: Date): LogOptions {
  const isSet = (name: string) => /^(1|t|T|true|TRUE|True)$/.test(query.get(name) ?? '');
  const tailLines = wholeNumber(query, 'tailLines');
  const limitBytes = wholeNumber(query, 'limitBytes');
  const sinceSeconds = wholeNumber(query, 'sinceSeconds');
  const sinceTime = parseTime(query.get('sinceTime') ?? '');
  const since = sinceSeconds === undefined ? sinceTime : new Date(now.getTime() - sinceSeconds * 1000);
  return {
    container: query.get('container') || (pod.spec?.containers[0]?.name ?? ''),
    previous: isSet('previous'),
    follow: isSet('follow'),
    timestamps: isSet('timestamps'),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(since && { since }),
  };
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

function parseTime(text: string): Date | undefined {
  if (text === '') return undefined;
  try {
    return new Date(canonicalTime(text) ?? 0);
  } catch (error) {
    throw error instanceof TimeError ? badRequest(error.message) : error;
  }
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
