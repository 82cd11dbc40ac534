import type { ControllerContext } from '../controller-definition.ts';
import { annotationsRolledBack, lastRevision, revisionOf, rollbackAnnotation } from './deployment-annotations.ts';
import { isSameTemplate, withoutHash } from './deployment-replica-sets.ts';
import type { StoredDeployment, StoredReplicaSet } from './deployment-sizes.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { asObject } from '../stored-object.ts';
import { deployments, fieldManager } from '../workload-resources.ts';

/** The revision that an annotation of old clients asks to go back to; 0 is the one before. Undefined when none does. */
export function rollbackTarget({ metadata }: StoredDeployment): bigint | undefined {
  const text = metadata.annotations?.[rollbackAnnotation] ?? '';
  return /^[+-]?[0-9]+$/.test(text) ? BigInt(text) : undefined;
}

/** Gives the Deployment the template of an older ReplicaSet, and takes the wish away. */
export async function rollBack(
  { api }: ControllerContext,
  recorder: EventRecorder,
  deployment: StoredDeployment,
  sets: readonly StoredReplicaSet[],
): Promise<void> {
  const revision = rollbackTarget(deployment) || lastRevision(sets);
  const target = revision === 0n ? undefined : sets.find(set => revisionOf(set) === revision);
  const next = target && !isSameTemplate(target.spec.template, deployment.spec.template) ? withTemplateOf(deployment, target) : deployment;

  const { [rollbackAnnotation]: _, ...annotations } = next.metadata.annotations ?? {};
  await api.update(deployments, asObject({ ...next, metadata: { ...next.metadata, annotations } }), { fieldManager });

  const { name } = deployment.metadata;
  if (next !== deployment)
    recorder.record(deployment, 'Normal', 'DeploymentRollback', `Rolled back deployment "${name}" to revision ${revision}`);
  else if (target)
    recorder.record(
      deployment,
      'Warning',
      'DeploymentRollbackTemplateUnchanged',
      `The rollback revision contains the same template as current deployment "${name}"`,
    );
  else {
    const what = revision === 0n ? 'last revision' : 'the revision to rollback to';
    recorder.record(deployment, 'Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${what}.`);
  }
}

function withTemplateOf(deployment: StoredDeployment, target: StoredReplicaSet): StoredDeployment {
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: annotationsRolledBack(deployment.metadata.annotations, target.metadata.annotations) },
    spec: { ...deployment.spec, template: withoutHash(target.spec.template) },
  };
}
