import { forbidden } from '../../../api/field-error.ts';
import { invalidObject } from '../../../api/status.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { k0rdent } from '../kinds/group.ts';
import { Management, Release } from '../kinds/management.ts';
import { templatesOf } from '../release-controller.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from '../../../core/admission/refusal.ts';
import { reviewComponents } from './review-components.ts';

export async function reviewManagement(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  if (request.operation === 'DELETE') return reviewDeletion(world);
  const next = request.object as Management;
  const old = request.oldObject as Management | undefined;
  if (next.metadata.deletionTimestamp !== undefined) return {};
  const release = await world.get(Release, { name: next.spec.release });
  if (old?.spec.release !== next.spec.release) {
    const fault = faultOf(next.spec.release, release);
    if (fault !== undefined) {
      const gk = { group: k0rdent.group, kind: Management.kind };
      return { refusal: invalidObject(gk, next.metadata.name ?? '', [forbidden('spec.release', fault)]) };
    }
  }
  return old ? reviewComponents({ kind: 'Management', old, next, release }, world) : {};
}

function faultOf(name: string, release: Release | undefined): string | undefined {
  if (!release) return `releases.${k0rdent.group} "${name}" not found`;
  return release.status?.ready ? undefined : `release "${name}" status is not ready`;
}

async function reviewDeletion(world: AdmissionWorld): Promise<AdmissionAnswer> {
  const refuse = (kind: string) =>
    forbid('management deletion is forbidden', [`The Management object can't be removed if ${kind} objects still exist`]);
  if ((await world.regions()).length > 0) return refuse('Region');
  return (await world.deployments()).length > 0 ? refuse('ClusterDeployment') : {};
}

export async function reviewReleaseDeletion({ name, oldObject }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const managements = await world.managements();
  if (managements.some(({ spec }) => spec.release === name)) return forbid(`release ${name} is still in use`);
  const own = oldObject ? templatesOf(oldObject as Release) : [];
  const used = managements.flatMap(namedTemplates).filter(one => own.includes(one));
  if (used.length === 0) return {};
  return forbid(`the following ProviderTemplates associated with the Release are still in use: ${used.join(', ')}`);
}

/** The templates that a Management names itself. */
export function namedTemplates({ spec: { core, providers = [] } }: Management): string[] {
  return [core?.capi, core?.kcm, ...providers].flatMap(one => (one?.template ? [one.template] : []));
}
