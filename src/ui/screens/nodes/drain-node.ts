import { kinds, pathOf, type KubeObject } from '../../data/kinds.ts';
import { ApiError, request } from '../../data/request.ts';

/** How far the eviction of a pod has come. */
export interface Eviction {
  readonly state: 'asked' | 'refused' | 'failed';
  readonly message: string;
}

const retryMs = 5000;
const atOnce = 5;

export const setCordon = (cluster: string, name: string, isCordoned: boolean): Promise<unknown> =>
  request(pathOf(kinds.node, { cluster, name }), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { unschedulable: isCordoned || null } },
  });

/** Asks for an eviction. A budget that does not allow it answers with 429. */
export function evict(cluster: string, { metadata: { namespace, name } }: KubeObject, isTrial = false): Promise<unknown> {
  const path = pathOf(kinds.pod, { cluster, namespace, name, subresource: 'eviction' });
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  return request(`${path}${isTrial ? '?dryRun=All' : ''}`, { method: 'POST', body });
}

export interface Draining {
  readonly cluster: string;
  readonly node: string;
  readonly pods: readonly KubeObject[];
  readonly signal: AbortSignal;
  onChange(pod: KubeObject, eviction: Eviction): void;
}

/** Lets nothing new onto the node and evicts the pods. What a budget refuses is asked for again until it is allowed, or until it is stopped. */
export async function drainNode({ cluster, node, pods, signal, onChange }: Draining): Promise<void> {
  await setCordon(cluster, node, true);
  const waiting = [...pods];
  await Promise.all(Array.from({ length: atOnce }, takeTurns));

  async function takeTurns(): Promise<void> {
    for (let pod = waiting.shift(); pod && !signal.aborted; pod = waiting.shift()) {
      const result = await attempt(pod);
      onChange(pod, result);
      if (result.state !== 'refused') continue;
      // The others go first; then it is asked again.
      waiting.push(pod);
      await pause(waiting.length > atOnce ? retryMs / atOnce : retryMs, signal);
    }
  }

  async function attempt(pod: KubeObject): Promise<Eviction> {
    try {
      await evict(cluster, pod);
    } catch (error) {
      const { code, message } = error instanceof ApiError ? error : { code: -1, message: String(error) };
      if (code === 429) return { state: 'refused', message: refusalOf(error) };
      if (code !== 404) return { state: 'failed', message };
    }
    return { state: 'asked', message: '' };
  }
}

/** A refusal in the words of the budget. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  return error.causes.map(one => one.message).find(Boolean) ?? error.message;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
