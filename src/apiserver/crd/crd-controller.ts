import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { jsonEqual } from '../../util/json.ts';
import type { Change, ClusterApi } from '../cluster-api.ts';
import { type ControllerOptions, type RunningController } from '../controllers/running-controller.ts';
import { customResourceCleanupFinalizer } from './cleanup-finalizer.ts';
import { crdResource, crdSpec, crdStatus, findCondition, isConditionTrue, type CrdCondition, type CrdNames } from './crd-object.ts';
import { condition, decideNames, withCondition } from './crd-names.ts';
import { approvalOf, isProtectedGroup, type Approval } from './validate-crd.ts';
import { timestamp } from '../../util/timestamp.ts';

export const fieldManager = 'kube-apiserver';
/** Deletes in flight for one definition. */
const batchSize = 64;

/** Accepts the names of definitions, establishes them, and empties those that are being deleted. */
export function crdController(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  /** Definitions whose instances are being deleted, by `group/plural`. */
  const emptying = new Map<string, string>();
  /** Definitions with names that were given to them and are being written. Nobody else may get them meanwhile. */
  const giving = new Map<string, KubeObject>();
  const queue = workQueue({
    reconcile: name => reconcile(name),
    concurrency: 32,
    maxDelayMs: 15_000,
    ...(options.onError && { onError: options.onError }),
  });
  const subscription = api.subscribe(observe);
  for (const crd of api.peekAll(crdResource)) queue.add(crd.metadata.name ?? '');

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function observe({ type, resource, name, obj, old }: Change): void {
    if (resource.group !== crdResource.group || resource.resource !== crdResource.resource) {
      const waiting = type === 'DELETED' ? emptying.get(`${resource.group}/${resource.resource}`) : undefined;
      if (waiting !== undefined) queue.add(waiting);
      return;
    }
    if (type !== 'DELETED') queue.add(name);
    const freesNames = type === 'DELETED' || (old && !jsonEqual(crdStatus(old).acceptedNames, crdStatus(obj).acceptedNames));
    if (freesNames) requeueGroup(crdSpec(obj).group, name);
  }

  function requeueGroup(group: string, except: string): void {
    for (const crd of api.peekAll(crdResource)) {
      const name = crd.metadata.name ?? '';
      if (name !== except && crdSpec(crd).group === group && !isConditionTrue(crd, 'NamesAccepted')) queue.add(name);
    }
  }

  async function reconcile(name: string): Promise<void> {
    const crd = api.peek(crdResource, '', name);
    if (!crd) return;
    const { deletionTimestamp, finalizers = [] } = crd.metadata;
    try {
      if (deletionTimestamp !== undefined) {
        if (finalizers.includes(customResourceCleanupFinalizer)) await empty(crd);
        return;
      }
      await establish(crd);
    } catch (error) {
      // Deleted or changed meanwhile: the change itself brings it back here.
      if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
      throw error;
    }
  }

  async function establish(original: KubeObject): Promise<void> {
    let crd = original;
    const approval = approvalCondition(crd);
    if (approval && !isEquivalent(approval, findCondition(crd, approval.type))) crd = await writeStatus(crd, [approval]);
    const others = [...api.peekAll(crdResource), ...giving.values()].filter(other => other.metadata.name !== crd.metadata.name);
    const { acceptedNames, namesAccepted, established } = decideNames(crd, others);
    const isSettled =
      jsonEqual(crdStatus(crd).acceptedNames, acceptedNames) && isEquivalent(namesAccepted, findCondition(crd, 'NamesAccepted'));
    if (!isSettled) crd = await giveNames(crd, acceptedNames, [namesAccepted, established]);
    if (!isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) return;
    await writeStatus(crd, [condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')]);
  }

  async function giveNames(crd: KubeObject, acceptedNames: Partial<CrdNames>, conditions: readonly CrdCondition[]): Promise<KubeObject> {
    const name = crd.metadata.name ?? '';
    giving.set(name, { ...crd, status: { ...crdStatus(crd), acceptedNames } });
    try {
      return await writeStatus(crd, conditions, { acceptedNames });
    } catch (error) {
      // Whoever was refused for their sake may have them after all.
      requeueGroup(crdSpec(crd).group, name);
      throw error;
    } finally {
      giving.delete(name);
    }
  }

  async function empty(original: KubeObject): Promise<void> {
    const { group, names, versions } = crdSpec(original);
    const gr = { group, resource: names.plural };
    const inProgress = condition('Terminating', 'True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
    const crd = isEquivalent(inProgress, findCondition(original, 'Terminating')) ? original : await writeStatus(original, [inProgress]);
    if (!isConditionTrue(crd, 'Established')) {
      await letGo(crd, condition('Terminating', 'False', 'NeverEstablished', 'resource was never established'));
      return;
    }
    const version = versions.map(candidate => candidate.name).find(candidate => api.catalog.find({ ...gr, version: candidate }));
    emptying.set(`${group}/${names.plural}`, crd.metadata.name ?? '');
    if (version !== undefined) await deleteInstances({ ...gr, version }, crd);
    // The last one that goes brings the definition back here.
    if (api.count(gr) > 0) return;
    emptying.delete(`${group}/${names.plural}`);
    await letGo(crd, condition('Terminating', 'False', 'InstanceDeletionCompleted', 'removed all instances'));
  }

  async function deleteInstances(gvr: { group: string; version: string; resource: string }, crd: KubeObject): Promise<void> {
    const left = api.peekAll(gvr).filter(obj => obj.metadata.deletionTimestamp === undefined);
    const failures: string[] = [];
    for (let i = 0; i < left.length; i += batchSize) {
      const batch = left.slice(i, i + batchSize).map(({ metadata }) =>
        api.delete(gvr, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }).catch((error: unknown) => {
          if (!(error instanceof StatusError && error.code === 404)) failures.push(error instanceof Error ? error.message : String(error));
        }),
      );
      await Promise.all(batch);
    }
    if (failures.length === 0) return;
    await writeStatus(crd, [condition('Terminating', 'True', 'InstanceDeletionFailed', `could not issue all deletes: ${failures[0]}`)]);
    throw new Error(`cannot delete instances of "${crd.metadata.name}": ${failures[0]}`);
  }

  async function letGo(crd: KubeObject, terminating: CrdCondition): Promise<void> {
    const finalizers = (crd.metadata.finalizers ?? []).filter(finalizer => finalizer !== customResourceCleanupFinalizer);
    await writeStatus({ ...crd, metadata: { ...crd.metadata, finalizers } }, [terminating]);
  }

  function writeStatus(crd: KubeObject, conditions: readonly CrdCondition[], more: object = {}): Promise<KubeObject> {
    const at = timestamp(now());
    const { conditions: before, ...status } = crdStatus(crd);
    const next = { ...status, conditions: conditions.reduce((all, one) => withCondition(all, one, at), before ?? []), ...more };
    return api.update(crdResource, { ...crd, status: next }, { subresource: 'status', fieldManager });
  }
}

const isEquivalent = (a: CrdCondition, b: CrdCondition | undefined): boolean =>
  b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;

const approvals: Readonly<Record<Approval, readonly [status: string, reason: string]>> = {
  invalid: ['False', 'InvalidAnnotation'],
  missing: ['False', 'MissingAnnotation'],
  approved: ['True', 'ApprovedAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
};

/** Groups of Kubernetes itself say whether their API was agreed upon. */
function approvalCondition(crd: KubeObject): CrdCondition | undefined {
  if (!isProtectedGroup(crdSpec(crd).group)) return undefined;
  const { state, reason } = approvalOf(crd.metadata.annotations);
  const [status, why] = approvals[state];
  return condition('KubernetesAPIApprovalPolicyConformant', status, why, reason);
}
