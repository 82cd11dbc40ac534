import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { jsonEqual, type Json } from '../../../util/json.ts';
import { currentRules, kindOfResource } from '../access-management-plan.ts';
import { k0rdent } from '../kinds/group.ts';
import type { AccessManagement } from '../kinds/management.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from '../../../core/admission/refusal.ts';

/** What the fields of old say is moved to where it belongs now. */
export async function defaultAccessManagement({ object }: AdmissionRequest): Promise<AdmissionAnswer> {
  const rules = (object as AccessManagement).spec.accessRules ?? [];
  const next = currentRules(rules);
  return jsonEqual(rules, next) ? {} : { patch: [{ op: 'replace', path: '/spec/accessRules', value: next as unknown as Json }] };
}

export async function reviewAccessManagement(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { operation, object, oldObject, name } = request;
  // Kinds may have gone since; that is said in the status.
  if (operation === 'UPDATE' && jsonEqual(oldObject?.['spec'], object?.['spec'])) return {};
  if (operation === 'DELETE') {
    const isNeeded = (await world.managements()).some(({ metadata }) => metadata.deletionTimestamp === undefined);
    return isNeeded ? forbid('AccessManagement deletion is forbidden') : {};
  }
  if (operation === 'CREATE' && (await world.accessManagements()).some(({ metadata }) => metadata.name !== name))
    return forbid('AccessManagement object already exists');
  const faults: string[] = [];
  for (const [i, { resources = [] }] of currentRules((object as AccessManagement).spec.accessRules ?? []).entries())
    for (const [j, resource] of resources.entries()) {
      const fault = await faultOf(resource, world);
      if (fault !== undefined) faults.push(`accessRules[${i}].resources[${j}]: ${fault}`);
    }
  return faults.length > 0 ? forbid(faults.join('\n')) : {};
}

/** What is given must be known, and be in a namespace. */
async function faultOf(resource: Parameters<typeof kindOfResource>[0], world: AdmissionWorld): Promise<string | undefined> {
  const { apiGroup, kind } = kindOfResource(resource);
  const name = apiGroup === '' ? kind : `${kind}.${apiGroup}`;
  const found = await world.findKind(apiGroup, apiGroup === k0rdent.group ? k0rdent.version : 'v1', kind);
  if (!found) return `failed to resolve ${name} (ensure the CRD is installed): the hub has no such kind`;
  if (found.scope === 'Namespaced') return undefined;
  return `${name} is cluster-scoped and cannot be distributed into target namespaces by AccessManagement`;
}
