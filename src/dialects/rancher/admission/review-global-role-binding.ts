import { forbidden, notFound } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { GlobalRole, GlobalRoleBinding } from '../kinds/role.ts';
import { duplicated, faulty, refuseEscalation } from './answers.ts';
import { changedFields } from './changed-fields.ts';
import { subjectFaults, subjectKey } from './check-subject.ts';
import { mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingOfGlobalRole } from './review-global-role.ts';

/** Rancher had it once; old manifests still bind it. */
const removedRole = 'restricted-admin';

export async function reviewGlobalRoleBinding(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as GlobalRoleBinding | undefined;
  const next = request.object as GlobalRoleBinding;
  if (old && old.globalRoleName !== next.globalRoleName) return faulty(request, [forbidden('globalRoleName', 'field is immutable')]);
  if (old && changedFields(old, next).length === 0) return {};
  const faults = await subjectFaults(old, next, world);
  if (faults.length > 0) return faulty(request, faults);
  const name = next.globalRoleName;
  const role = await world.get(GlobalRole, { name });
  if (!role && name === removedRole) return { warnings: [`the role "${removedRole}" is no longer there: the binding gives nothing`] };
  if (!role) return faulty(request, [notFound('globalRoleName', name)]);
  const isSame = (one: GlobalRoleBinding) =>
    one.metadata.name !== next.metadata.name && one.globalRoleName === name && subjectKey(one) === subjectKey(next);
  const same = old ? undefined : (await world.list(GlobalRoleBinding)).find(isSame);
  if (same) return duplicated(GlobalRoleBinding, same.metadata.name!);
  if (await mayManage(world, 'bind', GlobalRole.resource, name)) return {};
  return refuseEscalation(GlobalRoleBinding, request, await lackingOfGlobalRole(role, world));
}
