import type { Pod, ReplicaSet } from '../../../api/kubernetes.ts';
import type { ControllerContext } from '../controller-definition.ts';
import { newestRevision, revisionAnnotation, sizeAnnotations } from './deployment-annotations.ts';
import { expiredHistory, isSameTemplate, newReplicaSet, refreshNewest } from './deployment-replica-sets.ts';
import {
  desiredSize,
  isInUse,
  isRolling,
  maxSurge,
  nextSizeOfNewest,
  scaleAll,
  shrinkOlder,
  sizeOf,
  sum,
  type StoredDeployment,
  type StoredReplicaSet,
} from './deployment-sizes.ts';
import {
  conditionOf,
  hasHistoryLimit,
  hasProgressDeadline,
  isComplete,
  progressing,
  withCondition,
  type ObservedSets,
} from './deployment-status.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { isFinished } from '../pod-state.ts';
import { asObject, asStored, controllerOf, targetOf } from '../stored-object.ts';
import { deployments, fieldManager, replicaSets } from '../workload-resources.ts';
import { isAlreadyExists, isNamespaceTerminating, messageOf, ToldError, unlessGone } from '../write-errors.ts';

/** A Deployment with what will be written to its status at the end, and its ReplicaSets as they are now. */
export interface Rollout extends ObservedSets {
  readonly deployment: StoredDeployment;
}

/** The deeds of a rollout; what to do is decided in deployment-sizes.ts and deployment-replica-sets.ts. */
export interface RolloutSteps {
  /** Gives the newest ReplicaSet, if there is one, its revision and annotations. */
  refresh(rollout: Rollout): Promise<Rollout>;
  /** Hands out a changed size of the Deployment. */
  scale(rollout: Rollout): Promise<void>;
  /** One step towards the present template. */
  advance(rollout: Rollout): Promise<Rollout>;
}

export function rolloutSteps(ctx: ControllerContext, recorder: EventRecorder): RolloutSteps {
  const { api } = ctx;
  return {
    refresh,
    async scale(rollout) {
      const { deployment, newest, older } = rollout;
      for (const { set, size } of scaleAll(deployment, newest, older)) await resize(deployment, set, size);
      if (deployment.spec.paused) await dropHistory(rollout);
    },
    advance: rollout => (isRolling(rollout.deployment) ? advanceRolling(rollout) : advanceRecreating(rollout)),
  };

  async function refresh({ deployment, newest, older }: Rollout): Promise<Rollout> {
    if (!newest) return { deployment, newest, older };
    const wanted = refreshNewest(deployment, newest, older);
    const current = wanted === newest ? newest : await updateSet(wanted);
    const revised = withRevision(deployment, current.metadata.annotations?.[revisionAnnotation] ?? '');
    const isUntold = hasProgressDeadline(revised) && !conditionOf(revised.status?.conditions, progressing);
    const message = `Found new replica set "${current.metadata.name}"`;
    return { deployment: isUntold ? withProgress(revised, 'True', 'FoundNewReplicaSet', message) : revised, newest: current, older };
  }

  async function advanceRolling(rollout: Rollout): Promise<Rollout> {
    const { deployment, newest, older } = await ensureNewest(rollout);
    const size = Math.min(desiredSize(deployment), nextSizeOfNewest(deployment, [...older, newest], sizeOf(newest)));
    if (sizeOf(newest) !== desiredSize(deployment) && size !== sizeOf(newest)) {
      await resize(deployment, newest, size);
      return { deployment, newest, older };
    }
    const steps = shrinkOlder(deployment, newest, older);
    for (const { set, size: smaller } of steps) await resize(deployment, current(set), smaller);
    if (steps.length === 0) await dropHistoryOnceComplete({ deployment, newest, older });
    return { deployment, newest, older };
  }

  // All old pods end before the first new one starts.
  async function advanceRecreating(rollout: Rollout): Promise<Rollout> {
    const inUse = rollout.older.filter(isInUse);
    for (const set of inUse) await resize(rollout.deployment, set, 0);
    if (inUse.length > 0 || hasOldPods(rollout.older)) return rollout;
    const { deployment, newest, older } = await ensureNewest(rollout);
    if (sizeOf(newest) !== desiredSize(deployment)) await resize(deployment, newest, desiredSize(deployment));
    await dropHistoryOnceComplete({ deployment, newest, older });
    return { deployment, newest, older };
  }

  function hasOldPods(older: readonly StoredReplicaSet[]): boolean {
    if (sum(older, set => set.status?.replicas ?? 0) > 0) return true;
    return older.some(({ metadata }) => ctx.pods.of(metadata.namespace ?? '', metadata.uid).some(pod => !isFinished(asStored<Pod>(pod))));
  }

  async function ensureNewest(rollout: Rollout): Promise<Rollout & { newest: StoredReplicaSet }> {
    const { deployment, newest, older } = rollout;
    if (newest) return { deployment, newest, older };
    const wanted = newReplicaSet(deployment, older);
    try {
      const created = asStored<ReplicaSet>(await api.create(replicaSets, wanted, { fieldManager }));
      const { name } = created.metadata;
      if (sizeOf(created) > 0)
        recorder.record(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${sizeOf(created)}`);
      const revised = withRevision(deployment, String(newestRevision(older) + 1n));
      const told = hasProgressDeadline(revised)
        ? withProgress(revised, 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
        : revised;
      return { deployment: told, newest: created, older };
    } catch (error) {
      if (isNamespaceTerminating(error)) throw error;
      if (isAlreadyExists(error)) await noteCollision(deployment, wanted.metadata.name ?? '');
      else await tellFailure(deployment, wanted.metadata.name ?? '', error);
      throw new ToldError(error);
    }
  }

  // Another template has the same hash, or somebody else took the name: the next try gets another one.
  async function noteCollision(deployment: StoredDeployment, name: string): Promise<void> {
    const taken = api.peek(replicaSets, deployment.metadata.namespace ?? '', name);
    const isOurs = taken && controllerOf(taken)?.uid === deployment.metadata.uid;
    if (isOurs && isSameTemplate(asStored<ReplicaSet>(taken).spec.template, deployment.spec.template)) return;
    await writeStatus({ ...deployment, status: { ...deployment.status, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 } });
  }

  async function tellFailure(deployment: StoredDeployment, name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    recorder.record(deployment, 'Warning', 'ReplicaSetCreateError', message);
    if (hasProgressDeadline(deployment)) await writeStatus(withProgress(deployment, 'False', 'ReplicaSetCreateError', message));
  }

  async function writeStatus(deployment: StoredDeployment): Promise<void> {
    await api.update(deployments, asObject(deployment), { subresource: 'status', fieldManager });
  }

  function withProgress(deployment: StoredDeployment, status: 'True' | 'False', reason: string, message: string): StoredDeployment {
    const conditions = withCondition(deployment.status?.conditions ?? [], { type: progressing, status, reason, message }, ctx.now());
    return { ...deployment, status: { ...deployment.status, conditions } };
  }

  function current(set: StoredReplicaSet): StoredReplicaSet {
    const { namespace, name } = targetOf(set);
    const present = api.peek(replicaSets, namespace, name);
    return present ? asStored<ReplicaSet>(present) : set;
  }

  async function updateSet(set: StoredReplicaSet): Promise<StoredReplicaSet> {
    return asStored<ReplicaSet>(await api.update(replicaSets, asObject(set), { fieldManager }));
  }

  async function resize(deployment: StoredDeployment, set: StoredReplicaSet, size: number): Promise<void> {
    const desired = desiredSize(deployment);
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(desired, desired + maxSurge(deployment)) };
    const before = sizeOf(set);
    const isTold = Object.entries(annotations).every(([key, value]) => set.metadata.annotations?.[key] === value);
    if (before === size && isTold) return;
    await updateSet({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: size } });
    if (before === size) return;
    const how = before < size ? 'up' : 'down';
    recorder.record(deployment, 'Normal', 'ScalingReplicaSet', `Scaled ${how} replica set ${set.metadata.name} from ${before} to ${size}`);
  }

  async function dropHistoryOnceComplete(rollout: Rollout): Promise<void> {
    if (isComplete(rollout.deployment, rollout.deployment.status)) await dropHistory(rollout);
  }

  async function dropHistory({ deployment, older }: Rollout): Promise<void> {
    if (!hasHistoryLimit(deployment)) return;
    for (const set of expiredHistory(deployment, older)) await unlessGone(api.delete(replicaSets, targetOf(set), { fieldManager }));
  }
}

function withRevision(deployment: StoredDeployment, revision: string): StoredDeployment {
  const { annotations } = deployment.metadata;
  if ((annotations?.[revisionAnnotation] ?? '') === revision) return deployment;
  return { ...deployment, metadata: { ...deployment.metadata, annotations: { ...annotations, [revisionAnnotation]: revision } } };
}
