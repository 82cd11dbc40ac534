import type { ResourceQuota } from '../../api/kubernetes.ts';
import type { GroupResource, KubeObject } from '../../api/object.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { jsonEqual } from '../../util/json.ts';
import { evaluatorFor, scopesOf } from '../admission/quota-evaluator.ts';
import { addAmounts, readAmounts, type Amounts } from '../../api/pod-amounts.ts';
import { zeroQuantity } from '../../api/quantity.ts';
import { printAmounts } from '../admission/resource-quota.ts';
import type { Change, ClusterApi } from '../cluster-api.ts';
import { preferredResources } from './preferred-resource.ts';
import type { ControllerOptions, RunningController } from './running-controller.ts';

const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
// Reservations of requests that failed later are given back then.
const recheckMs = 60_000;

/** Counts what a namespace uses whenever something in it goes away, and when its quotas change. */
export function quotaController(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  const preferred = preferredResources(api.catalog);
  const queue = workQueue({ reconcile: count, concurrency: 5, ...(options.onError && { onError: options.onError }) });
  const subscription = api.subscribe(observe);
  for (const quota of api.peekAll(quotas)) queue.add(keyOf(quota));

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function observe(change: Change): void {
    if (change.namespace === '') return;
    if (change.resource.resource === 'resourcequotas' && change.resource.group === '') return observeQuota(change);
    if (change.type === 'ADDED' || (change.type === 'MODIFIED' && !isRelease(change))) return;
    if (api.count(quotas, change.namespace) === 0) return;
    for (const quota of api.peekAll(quotas, change.namespace)) if (concerns(quota, change.resource)) queue.add(keyOf(quota));
  }

  function observeQuota({ type, obj, old }: Change): void {
    if (type === 'DELETED') return;
    if (!old || !jsonEqual(old['spec'], obj['spec'])) queue.add(keyOf(obj));
    else queue.addAfter(keyOf(obj), recheckMs);
  }

  async function count(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const obj = api.peek(quotas, namespace, name);
    if (!obj) return;
    const quota = obj as unknown as ResourceQuota;
    const hard = quota.spec?.hard ?? {};
    const status = { hard, used: printAmounts(usageOf(quota, namespace)) };
    if (jsonEqual(status.hard, quota.status?.hard) && jsonEqual(status.used, quota.status?.used)) return;
    await api.update(quotas, { ...obj, status }, { subresource: 'status', fieldManager: 'kube-controller-manager' });
  }

  function usageOf(quota: ResourceQuota, namespace: string): Amounts {
    const names = Object.keys(quota.spec?.hard ?? {});
    const scopes = scopesOf(quota);
    const used: Amounts = new Map(names.map(name => [name, zeroQuantity]));
    for (const resource of preferred.all()) {
      if (!resource.namespaced) continue;
      const evaluator = evaluatorFor(resource);
      const counted = evaluator.concerned(names);
      if (counted.length === 0) continue;
      for (const obj of api.peekAll(resource, namespace)) {
        if (!scopes.every(scope => evaluator.matchesScope(scope, obj))) continue;
        addAmounts(used, new Map([...evaluator.usage(obj, now())].filter(([name]) => counted.includes(name))));
      }
    }
    return used;
  }
}

const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;

function concerns(quota: KubeObject, gr: GroupResource): boolean {
  return evaluatorFor(gr).concerned(Object.keys(readHard(quota))).length > 0;
}

const readHard = (quota: KubeObject) => Object.fromEntries(readAmounts((quota as unknown as ResourceQuota).spec?.hard));

/** Updates that give something back: a pod that ended or is going away, a service or claim that asks for less. */
function isRelease({ resource, obj, old }: Change): boolean {
  if (resource.group !== '') return false;
  if (resource.resource === 'services' || resource.resource === 'persistentvolumeclaims') return !jsonEqual(obj['spec'], old?.['spec']);
  if (resource.resource !== 'pods') return false;
  const phase = (pod: KubeObject | undefined) => (pod?.['status'] as { phase?: string } | undefined)?.phase;
  return phase(obj) !== phase(old) && (phase(obj) === 'Failed' || phase(obj) === 'Succeeded');
}
