import type { KubeObject } from '../../../api/object.ts';
import { isMarked, markKey, readMark } from './marks.ts';

const managedKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'DeploymentConfig']);

export const isDirect = (obj: KubeObject, prefix: string): boolean => isMarked(obj, prefix, 'direct-apply');

const isCustom = (obj: KubeObject, prefix: string): boolean => !managedKinds.has(obj.kind) && isMarked(obj, prefix, 'managed-workload');

/** Whether it is labelled, waited for and rolled back. */
export function isManaged(obj: KubeObject, prefix: string): boolean {
  return managedKinds.has(obj.kind) ? !isDirect(obj, prefix) : isCustom(obj, prefix);
}

export const managedWorkloads = (objects: readonly KubeObject[], prefix: string): KubeObject[] =>
  objects.filter(obj => isManaged(obj, prefix));

/** Why the steady state of a workload could never be told. */
export function unjudgeable(objects: readonly KubeObject[], prefix: string): string | undefined {
  const lost = objects.find(
    obj => isCustom(obj, prefix) && readMark(obj.metadata.annotations, prefix, 'steadyStateCondition') === undefined,
  );
  return lost && `Managed workload ${nameOf(lost)} requires the annotation ${markKey(prefix, 'steadyStateCondition')}`;
}

/** The candidates for being the one workload of a canary or of a stage. */
export function mainWorkloads(objects: readonly KubeObject[], prefix: string): KubeObject[] {
  const candidates = objects.filter(obj => !isDirect(obj, prefix));
  const deployments = candidates.filter(({ kind }) => kind === 'Deployment' || kind === 'DeploymentConfig');
  return deployments.length > 0 ? deployments : candidates.filter(({ kind }) => kind === 'StatefulSet');
}

/** As logs call it. */
export const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name ?? ''}`;
