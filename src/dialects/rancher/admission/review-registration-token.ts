import { forbidden, invalid, notFound } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ManagementCluster, type ClusterRegistrationToken } from '../kinds/cluster.ts';
import { faulty } from './answers.ts';
import type { RancherWorld } from './rancher-world.ts';

const minTtlMinutes = 30;
const minGraceMinutes = 10;

/** A token that does not say its cluster is for the one whose namespace it is in. */
export async function nameClusterOfToken({ object, namespace }: AdmissionRequest): Promise<AdmissionAnswer> {
  const { spec } = object as ClusterRegistrationToken;
  return spec.clusterName ? {} : { patch: [{ op: 'add', path: '/spec/clusterName', value: namespace }] };
}

/** A token is for the cluster in whose namespace it lies, and for no other. */
export async function reviewRegistrationToken(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const { namespace, oldObject } = request;
  const { clusterName, ttl, gracePeriod } = (request.object as ClusterRegistrationToken).spec;
  const old = oldObject as ClusterRegistrationToken | undefined;
  if (old?.spec.clusterName && old.spec.clusterName !== clusterName)
    return faulty(request, [forbidden('spec.clusterName', 'field is immutable')]);
  if (clusterName !== namespace)
    return faulty(request, [invalid('spec.clusterName', clusterName, `must be the namespace, "${namespace}"`)]);
  const tooShort = [
    ...(isBelow(ttl, minTtlMinutes) ? [invalid('spec.ttl', ttl, `must be 0 or at least ${minTtlMinutes} minutes`)] : []),
    ...(isBelow(gracePeriod, minGraceMinutes)
      ? [invalid('spec.gracePeriod', gracePeriod, `must be 0 or at least ${minGraceMinutes} minutes`)]
      : []),
  ];
  if (tooShort.length > 0 || old) return faulty(request, tooShort);
  const cluster = await world.get(ManagementCluster, { name: clusterName });
  return faulty(request, cluster ? [] : [notFound('spec.clusterName', clusterName)]);
}

const isBelow = (minutes: number | undefined, least: number): boolean => minutes !== undefined && minutes !== 0 && minutes < least;
