import { Secret } from '../../../api/builtin-kinds.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { k0rdent, singleton, systemNamespace } from '../kinds/group.ts';
import { Management, Release, type Region } from '../kinds/management.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from '../../../core/admission/refusal.ts';
import { reviewComponents } from './review-components.ts';

export async function reviewRegion(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  if (request.operation === 'DELETE') return reviewDeletion(request, world);
  const next = request.object as Region;
  const old = request.oldObject as Region | undefined;
  if (next.metadata.deletionTimestamp !== undefined) return {};
  if (!old) {
    const fault = await faultOfCluster(next, world);
    return fault === undefined ? {} : forbid(fault);
  }
  const management = await world.get(Management, { name: singleton });
  const release = management && (await world.get(Release, { name: management.spec.release }));
  return reviewComponents({ kind: 'Region', old, next, release }, world);
}

/** The cluster of a region must be known. */
async function faultOfCluster({ spec: { kubeConfig, clusterDeployment } }: Region, world: AdmissionWorld): Promise<string | undefined> {
  if (kubeConfig) {
    const where = `${systemNamespace}/${kubeConfig.name}`;
    const secret = (await world.getAny(Secret, { namespace: systemNamespace, name: kubeConfig.name })) as Secret | undefined;
    if (!secret) return `failed to get Secret ${where}: secrets "${kubeConfig.name}" not found`;
    const key = kubeConfig.key || 'value';
    return secret.data?.[key] === undefined ? `kubeConfig Secret does not have ${key} key defined` : undefined;
  }
  if (!clusterDeployment || (await world.get(ClusterDeployment, clusterDeployment))) return undefined;
  const { namespace, name } = clusterDeployment;
  return `failed to get ClusterDeployment ${namespace}/${name}: clusterdeployments.${k0rdent.group} "${name}" not found`;
}

async function reviewDeletion({ name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const credentials = (await world.credentials()).filter(({ spec }) => spec.region === name);
  const keys = new Set(credentials.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const isUsed = (await world.deployments()).some(({ metadata, spec }) => keys.has(`${metadata.namespace}/${spec.credential ?? ''}`));
  if (!isUsed) return {};
  return forbid('region deletion is forbidden', [
    "The Region object can't be removed while any ClusterDeployment objects deployed in that Region still exist",
  ]);
}
