import { Namespace } from '../../../api/builtin-kinds.ts';
import { at, forbidden, invalid, notFound, required, type FieldError } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { rancherLabels } from '../names.ts';
import { faulty, notAllowed } from './answers.ts';
import { differs } from './changed-fields.ts';
import { quotaFaults } from './check-quota.ts';
import { creatorFaults } from './creator.ts';
import { holdsEverything } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';

const markers = [rancherLabels.systemProject, rancherLabels.defaultProject];

export async function reviewProject(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as Project | undefined;
  if (request.operation === 'DELETE') return reviewDeletion(request, old!, world);
  const next = request.object as Project;
  const faults = [
    ...(await creatorFaults(request, world)),
    ...(old ? changeFaults(old, next) : await newProjectFaults(next, world)),
    ...(!old || differs(old.spec, next.spec) ? quotaFaults(next, old) : []),
    ...(await markerFaults(old, next, world)),
  ];
  return faulty(request, faults);
}

async function newProjectFaults({ metadata, spec }: Project, world: RancherWorld): Promise<FieldError[]> {
  const { namespace = '' } = metadata;
  const { clusterName, displayName } = spec;
  const faults = displayName === '' ? [required('spec.displayName')] : [];
  if (clusterName !== namespace) return [...faults, invalid('spec.clusterName', clusterName, `must be the namespace, "${namespace}"`)];
  return (await world.get(ManagementCluster, { name: clusterName })) ? faults : [...faults, notFound('spec.clusterName', clusterName)];
}

function changeFaults(old: Project, next: Project): FieldError[] {
  const isMoved = old.spec.clusterName !== next.spec.clusterName;
  const told = next.spec.resourceQuota?.usedLimit;
  // Who leaves it out, as those do who write a project anew, has not counted: the hub does so again.
  const isRecounted = told !== undefined && differs(old.spec.resourceQuota?.usedLimit, told);
  return [
    ...(isMoved ? [forbidden('spec.clusterName', 'field is immutable')] : []),
    ...(isRecounted ? [forbidden('spec.resourceQuota.usedLimit', 'only the hub itself counts')] : []),
  ];
}

/** Which project is the one of the system is not for people to say. */
async function markerFaults(old: Project | undefined, next: Project, world: RancherWorld): Promise<FieldError[]> {
  const changed = markers.filter(label => old?.metadata.labels?.[label] !== next.metadata.labels?.[label]);
  if (changed.length === 0 || (await holdsEverything(world))) return [];
  return changed.map(label => forbidden(at.key('metadata.labels', label), 'only the hub itself writes it'));
}

/** The project of the system goes with its cluster. */
async function reviewDeletion(request: AdmissionRequest, { metadata }: Project, world: RancherWorld): Promise<AdmissionAnswer> {
  if (metadata.labels?.[rancherLabels.systemProject] !== 'true') return {};
  const name = metadata.namespace ?? '';
  const cluster = await world.get(ManagementCluster, { name });
  const namespace = await world.get(Namespace, { name });
  const isGoing = !cluster || cluster.metadata.deletionTimestamp !== undefined || namespace?.metadata.deletionTimestamp !== undefined;
  return isGoing ? {} : notAllowed(Project, request, 'the System project stays as long as its cluster');
}
