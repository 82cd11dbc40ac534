import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workQueue, type Outcome } from '../../runtime/work-queue.ts';
import type { Change, ClusterApi } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';
import { namespaceConditions, type ContentReport, type NamespaceCondition } from './namespace-conditions.ts';
import { preferredResources } from './preferred-resource.ts';
import type { ControllerOptions, RunningController } from './running-controller.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const fieldManager = 'kube-controller-manager';
/** Deletes in flight for one resource of one namespace. */
const batchSize = 64;

interface Report extends ContentReport {
  remaining: Map<string, number>;
  finalizers: Map<string, number>;
  failures: string[];
  /** When only time can help: pods in their grace period. */
  waitMs: number;
}

export interface NamespaceControllerOptions extends ControllerOptions {
  /** How long a deleted namespace is left alone, so that writers under way end before its contents do. Default 0. */
  graceMs?: number;
}

/** Empties namespaces that are being deleted and lets them go, as soon as their contents are gone. */
export function namespaceController(api: ClusterApi, options: NamespaceControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  const preferred = preferredResources(api.catalog);
  const terminating = new Set<string>();
  const spared = new Set<string>();
  const queue = workQueue({
    reconcile: name => terminate(name),
    concurrency: 10,
    maxDelayMs: 15_000,
    ...(options.onError && { onError: options.onError }),
  });

  const subscription = api.subscribe(observe);
  for (const ns of api.peekAll(namespaces)) observeNamespace(ns);

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function observe(change: Change): void {
    if (change.namespace !== '') {
      if (terminating.has(change.namespace) && !spared.has(change.namespace)) queue.add(change.namespace);
      return;
    }
    if (change.resource.resource !== 'namespaces' || change.resource.group !== '') return;
    if (change.type === 'DELETED') {
      terminating.delete(change.name);
      spared.delete(change.name);
    } else observeNamespace(change.obj);
  }

  function observeNamespace(ns: KubeObject): void {
    const name = ns.metadata.name ?? '';
    if (ns.metadata.deletionTimestamp === undefined || terminating.has(name)) return;
    terminating.add(name);
    if (!options.graceMs) return queue.add(name);
    spared.add(name);
    queue.addAfter(name, options.graceMs);
  }

  async function terminate(name: string): Promise<Outcome> {
    spared.delete(name);
    let ns = api.peek(namespaces, '', name);
    if (ns?.metadata.deletionTimestamp === undefined) return;
    if (phaseOf(ns) !== 'Terminating') ns = await writeStatus(ns, { phase: 'Terminating' });
    if (!finalizersOf(ns).includes('kubernetes')) return;

    const report = await deleteContents(name, Date.parse(ns.metadata.deletionTimestamp ?? ''));
    ns = api.peek(namespaces, '', name);
    if (!ns) return;
    const conditions = conditionsOf(ns);
    const next = namespaceConditions(conditions, report, now());
    if (next !== conditions) ns = await writeStatus(ns, { conditions: next });

    if (report.failures.length > 0) throw new Error(`cannot empty namespace "${name}": ${report.failures[0]}`);
    if (report.waitMs > 0) return { requeueAfterMs: report.waitMs };
    if (isEmpty(name)) await finalize(ns);
  }

  async function writeStatus(ns: KubeObject, fields: Record<string, unknown>): Promise<KubeObject> {
    const status = { ...(ns['status'] as object), ...fields };
    return api.update(namespaces, { ...ns, status }, { subresource: 'status', fieldManager });
  }

  async function finalize(ns: KubeObject): Promise<void> {
    const spec = { ...(ns['spec'] as object), finalizers: finalizersOf(ns).filter(f => f !== 'kubernetes') };
    await api.update(namespaces, { ...ns, spec }, { subresource: 'finalize', fieldManager }).catch(error => {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    });
  }

  // Pods first: they may need the ConfigMaps, Secrets and policies around them until they have ended.
  async function deleteContents(namespace: string, deletedAtMs: number): Promise<Report> {
    const report: Report = { remaining: new Map(), finalizers: new Map(), failures: [], waitMs: 0 };
    const pods = preferred.find({ group: '', resource: 'pods' });
    if (pods) {
      const found: Report = { remaining: new Map(), finalizers: new Map(), failures: [], waitMs: 0 };
      await deleteAll(pods, namespace, deletedAtMs, found);
      // While pods remain the real controller reports failures only, not what remains.
      if (found.remaining.size > 0) return { ...report, failures: found.failures, waitMs: Math.max(found.waitMs, 15_000) };
    }
    for (const resource of deletableIn(namespace)) await deleteAll(resource, namespace, deletedAtMs, report);
    if (report.remaining.size > 0) report.waitMs = Math.max(report.waitMs, 15_000);
    return report;
  }

  function deletableIn(namespace: string): Resource[] {
    const stores = new Set<string>();
    return [...preferred.all()].filter(resource => {
      if (!resource.namespaced || !resource.verbs.includes('delete') || stores.has(resource.storeKey)) return false;
      stores.add(resource.storeKey);
      return api.count(resource, namespace) > 0;
    });
  }

  function isEmpty(namespace: string): boolean {
    return deletableIn(namespace).length === 0;
  }

  async function deleteAll(resource: Resource, namespace: string, deletedAtMs: number, report: Report): Promise<void> {
    const graceMs = graceLeftMs(resource, api.peekAll(resource, namespace), now().getTime() - deletedAtMs);
    const waiting = api.peekAll(resource, namespace).filter(obj => obj.metadata.deletionTimestamp === undefined);
    const failures: string[] = [];
    for (let i = 0; i < waiting.length; i += batchSize)
      await Promise.all(waiting.slice(i, i + batchSize).map(obj => deleteOne(resource, obj, failures)));
    const left = api.peekAll(resource, namespace);
    if (failures[0] !== undefined) report.failures.push(failures[0]);
    if (left.length === 0) return;

    report.remaining.set(`${resource.resource}.${resource.group}`, left.length);
    const held = left.filter(obj => obj.metadata.finalizers?.length);
    for (const obj of held) for (const f of obj.metadata.finalizers ?? []) report.finalizers.set(f, (report.finalizers.get(f) ?? 0) + 1);
    report.waitMs = Math.max(report.waitMs, graceMs);
    if (graceMs === 0 && held.length === 0 && failures.length === 0) {
      const gvr = `${resource.group}/${resource.version}, Resource=${resource.resource}`;
      report.failures.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`);
    }
  }

  async function deleteOne(resource: Resource, obj: KubeObject, failures: string[]): Promise<void> {
    const { namespace = '', name = '' } = obj.metadata;
    try {
      await api.delete(resource, { namespace, name }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
}

function graceLeftMs(resource: Resource, pods: readonly KubeObject[], sinceDeletedMs: number): number {
  if (resource.resource !== 'pods' || resource.group !== '') return 0;
  let seconds = 0;
  for (const pod of pods) {
    const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    const spec = pod['spec'] as { terminationGracePeriodSeconds?: number } | undefined;
    seconds = Math.max(seconds, spec?.terminationGracePeriodSeconds ?? 0);
  }
  return Math.max(0, seconds * 1000 - sinceDeletedMs);
}

const phaseOf = (ns: KubeObject) => (ns['status'] as { phase?: string } | undefined)?.phase;
const finalizersOf = (ns: KubeObject) => (ns['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? [];
const conditionsOf = (ns: KubeObject) => (ns['status'] as { conditions?: NamespaceCondition[] } | undefined)?.conditions ?? [];
