import { at, forbidden, invalid, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { clusterIdPattern, localId, pairingAnnotations, rancherAnnotations } from '../names.ts';
import { faulty, notAllowed } from './answers.ts';
import { creatorFaults } from './creator.ts';
import { holdsEverything, mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';

export async function reviewManagementCluster(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  if (request.operation === 'DELETE') return request.name === localId ? notAllowed(ManagementCluster, request, 'it is the hub itself') : {};
  const next = request.object as ManagementCluster;
  const old = request.oldObject as ManagementCluster | undefined;
  const isRaised = next.spec.internal === true && old?.spec.internal !== true;
  return faulty(request, [
    ...(await creatorFaults(request, world)),
    ...variableFaults(next.spec.agentEnvVars ?? []),
    ...(isRaised ? [forbidden('spec.internal', 'only the hub itself is internal')] : []),
    ...(await annotationFaults(old, next, Object.values(pairingAnnotations), world)),
  ]);
}

export async function reviewProvisioningCluster(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const next = request.object as ProvisioningCluster;
  const old = request.oldObject as ProvisioningCluster | undefined;
  if (request.operation === 'DELETE') {
    const isHub = old?.status?.clusterName === localId;
    return isHub ? notAllowed(ProvisioningCluster, request, 'it is the hub itself') : {};
  }
  return faulty(request, [
    ...(await creatorFaults(request, world)),
    ...variableFaults(next.spec.agentEnvVars ?? []),
    ...(await fixedIdFaults(old, next, world)),
  ]);
}

function variableFaults(variables: readonly { readonly name: string; readonly value?: string }[]): FieldError[] {
  return variables.flatMap(({ name, value = '' }, i) => {
    const field = at.index('spec.agentEnvVars', i);
    if (name.toUpperCase() === 'NO_PROXY' && /\s/.test(value)) return [invalid(at.child(field, 'value'), value, 'must not contain spaces')];
    return name === 'CATTLE_AGENT_VAR_DIR' ? [forbidden(at.child(field, 'name'), `${name} cannot be set`)] : [];
  });
}

/** An id that was fixed beforehand is free, or that of a cluster which the caller may change anyhow: nobody takes over the cluster of others by naming it. */
async function fixedIdFaults(old: KubeObject | undefined, next: KubeObject, world: RancherWorld): Promise<FieldError[]> {
  const key = rancherAnnotations.managementClusterName;
  const field = at.key('metadata.annotations', key);
  const id = next.metadata.annotations?.[key];
  if (old) return id === old.metadata.annotations?.[key] ? [] : [forbidden(field, 'annotation is immutable')];
  if (id === undefined) return [];
  if (!new RegExp(clusterIdPattern).test(id)) return [invalid(field, id, `must match ${clusterIdPattern}`)];
  const isTaken = (await world.get(ManagementCluster, { name: id })) !== undefined;
  return isTaken && !(await mayManage(world, 'update', ManagementCluster.resource, id)) ? [forbidden(field, 'the id is taken')] : [];
}

/** Annotations by which the hub finds what belongs together are its own. */
async function annotationFaults(
  old: KubeObject | undefined,
  next: KubeObject,
  keys: readonly string[],
  world: RancherWorld,
): Promise<FieldError[]> {
  const changed = keys.filter(key => old?.metadata.annotations?.[key] !== next.metadata.annotations?.[key]);
  if (changed.length === 0 || (await holdsEverything(world))) return [];
  return changed.map(key => forbidden(at.key('metadata.annotations', key), 'only the hub itself writes it'));
}
