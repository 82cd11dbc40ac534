import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Change } from '../../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimObjects } from '../claim-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { tellNewest } from './deployment-replica-sets.ts';
import { rollBack, rollbackTarget } from './deployment-rollback.ts';
import { rolloutSteps } from './deployment-rollout.ts';
import { isScaled, type StoredDeployment, type StoredReplicaSet } from './deployment-sizes.ts';
import {
  conditionOf,
  deadlineInMs,
  deploymentStatus,
  hasProgressDeadline,
  progressing,
  rolloutStatus,
  withCondition,
} from './deployment-status.ts';
import { ownersOfChange } from '../owners-of-change.ts';
import { asStored, controllerKey, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { deployments, fieldManager, pods, replicaSets, type WorkloadResource } from '../workload-resources.ts';
import { isNamespaceTerminating } from '../write-errors.ts';

export const deploymentController: ControllerDefinition = {
  name: 'deployment',
  reconciles: [deployments],
  watches: [replicaSets, pods],
  start: startDeploymentController,
};

/** Brings a Deployment's pods from one template to the next, by way of ReplicaSets. */
function startDeploymentController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const recorder = ctx.recorder('deployment-controller');
  const steps = rolloutSteps(ctx, recorder);
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(deployments)) queue.add(keyOf(obj));

  return {
    observe(change) {
      if (change.resource.resource === pods.resource) observePod(change);
      else if (change.resource.resource === replicaSets.resource) observeReplicaSet(change);
      else queue.add(`${change.namespace}/${change.name}`);
    },
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function observeReplicaSet(change: Change): void {
    const selects = (owner: KubeObject, set: KubeObject) => selectorMatches(asStored<Deployment>(owner).spec.selector, set.metadata.labels);
    for (const key of ownersOfChange(api, deployments, change, selects)) queue.add(key);
  }

  // Only a Deployment that recreates waits for its last pod to be gone.
  function observePod({ type, obj }: Change): void {
    if (type !== 'DELETED') return;
    const set = peekKey(replicaSets, controllerKey(api, replicaSets, obj));
    const key = set && controllerKey(api, deployments, set);
    const owner = peekKey(deployments, key);
    if (owner && key !== undefined && asStored<Deployment>(owner).spec.strategy?.type === 'Recreate') queue.add(key);
  }

  function peekKey(resource: WorkloadResource, key: string | undefined): KubeObject | undefined {
    if (key === undefined) return undefined;
    const { namespace, name } = splitKey(key);
    return api.peek(resource, namespace, name);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(deployments, namespace, name);
    if (!obj) return;
    try {
      return await reconcileDeployment(obj, asStored<Deployment>(obj));
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async function reconcileDeployment(obj: KubeObject, stored: StoredDeployment): Promise<Outcome> {
    const now = ctx.now();
    await claimSets(stored);
    const read = (deployment: StoredDeployment) => ({ deployment, ...tellNewest(deployment, ownSets(deployment)) });
    if (isDeleting(stored)) return void (await report(obj, stored, deploymentStatus(stored, read(stored), now)));
    if (!stored.spec.paused && rollbackTarget(stored) !== undefined) return rollBack(ctx, recorder, stored, ownSets(stored));

    const { deployment } = await steps.refresh(read(withPause(stored, now)));
    if (deployment.spec.paused || isScaled(deployment, ownSets(deployment))) {
      await steps.scale(read(deployment));
      return void (await report(obj, deployment, deploymentStatus(deployment, read(deployment), now)));
    }
    const advanced = (await steps.advance(read(deployment))).deployment;
    const status = rolloutStatus(advanced, read(advanced), now);
    await report(obj, advanced, status);
    const requeueAfterMs = deadlineInMs(advanced, status, now);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  async function claimSets(owner: StoredDeployment): Promise<void> {
    const { namespace = '', uid } = owner.metadata;
    const owned = ctx.controlled(replicaSets);
    const candidates = [...owned.of(namespace, uid), ...owned.orphans(namespace)].map(set => asStored<ReplicaSet>(set));
    const matches = (set: StoredReplicaSet) => selectorMatches(owner.spec.selector, set.metadata.labels);
    await claimObjects(api, { resource: replicaSets, owner, ownerResource: deployments, candidates, matches });
  }

  function ownSets({ metadata, spec }: StoredDeployment): StoredReplicaSet[] {
    return ctx
      .controlled(replicaSets)
      .of(metadata.namespace ?? '', metadata.uid)
      .map(set => asStored<ReplicaSet>(set))
      .filter(set => selectorMatches(spec.selector, set.metadata.labels));
  }

  async function report(obj: KubeObject, { metadata }: StoredDeployment, status: DeploymentStatus): Promise<void> {
    if (jsonEqual(status, obj['status']) && jsonEqual(metadata.annotations, obj.metadata.annotations)) return;
    await api.update(deployments, { ...obj, metadata, status }, { subresource: 'status', fieldManager });
  }
}

/** Tells that a rollout was stopped or goes on, which also sets the deadline for its progress anew. */
function withPause(deployment: StoredDeployment, now: Date): StoredDeployment {
  const conditions = deployment.status?.conditions ?? [];
  const current = conditionOf(conditions, progressing);
  const { paused = false } = deployment.spec;
  const isToldPaused = current?.reason === 'DeploymentPaused';
  if (!hasProgressDeadline(deployment) || current?.reason === 'ProgressDeadlineExceeded' || paused === isToldPaused) return deployment;
  const next = paused
    ? { type: progressing, status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { type: progressing, status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  return { ...deployment, status: { ...deployment.status, conditions: withCondition(conditions, next, now) } };
}
