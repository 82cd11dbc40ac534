import { forbidden, invalid, notFound, type FieldError } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { keyOf } from '../../../runtime/key.ts';
import { accessAnnotations } from '../access/access-names.ts';
import { everything } from '../access/builtin-rule.ts';
import type { FindTemplate } from '../access/inherited-templates.ts';
import { ClusterRoleTemplateBinding, GlobalRole, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { faulty, notAllowed, refuseEscalation } from './answers.ts';
import { changedFields } from './changed-fields.ts';
import { builtinFaults } from './check-builtin.ts';
import { ruleFaults } from './check-rules.ts';
import { mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingSomewhere, rulesOfTemplate, templateFinder } from './scope-rights.ts';

export const administrativeOutsideCluster = 'only roles with context "cluster" can be administrative';

const freeInBuiltin = ['clusterCreatorDefault', 'projectCreatorDefault', 'locked'];
/** Says nothing about what anybody may do. */
const harmless = ['displayName', 'description', 'hidden', 'locked'];

export async function reviewRoleTemplate(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as RoleTemplate | undefined;
  if (request.operation === 'DELETE') return reviewDeletion(request, old!, world);
  const next = request.object as RoleTemplate;
  const faults = [...builtinFaults(old, next, freeInBuiltin), ...fieldFaults(next)];
  if (faults.length > 0) return faulty(request, faults);
  if (old && isHarmless(old, next)) return {};
  const inheritance = inheritanceFaults(next, await templateFinder(world, next));
  if (inheritance.length > 0) return faulty(request, inheritance);
  if (await mayManage(world, 'escalate', RoleTemplate.resource, next.metadata.name ?? '')) return {};
  // Nobody can say what the ClusterRole of an external role permits on each of the members.
  const rules = next.external ? everything : ((await rulesOfTemplate(next.metadata.name!, world, next)) ?? everything);
  return refuseEscalation(RoleTemplate, request, await lackingSomewhere(rules, world));
}

const hidesSecrets = ({ metadata }: RoleTemplate): boolean => metadata.annotations?.[accessAnnotations.hidesSecrets] === 'true';

const isHarmless = (old: RoleTemplate, next: RoleTemplate): boolean =>
  changedFields(old, next).every(field => harmless.includes(field)) && hidesSecrets(old) === hidesSecrets(next);

function fieldFaults({ context = '', administrative, external, externalRules = [], rules = [] }: RoleTemplate): FieldError[] {
  return [
    ...ruleFaults(rules, 'rules'),
    ...ruleFaults(externalRules, 'externalRules'),
    ...(administrative && context !== 'cluster' ? [forbidden('administrative', administrativeOutsideCluster)] : []),
    ...(externalRules.length > 0 && !external ? [forbidden('externalRules', 'only external roles have them')] : []),
  ];
}

function inheritanceFaults(template: RoleTemplate, find: FindTemplate): FieldError[] {
  const field = (i: number) => `roleTemplateNames[${i}]`;
  const names = template.roleTemplateNames ?? [];
  const missing = names.flatMap((name, i) => (find(name) ? [] : [notFound(field(i), name)]));
  const circular = names.flatMap((name, i) =>
    reaches(name, template.metadata.name!, find) ? [invalid(field(i), name, 'the role would inherit from itself')] : [],
  );
  return [...missing, ...circular];
}

function reaches(from: string, wanted: string, find: FindTemplate): boolean {
  const seen = new Set([from]);
  for (const name of seen) for (const next of find(name)?.roleTemplateNames ?? []) seen.add(next);
  return seen.has(wanted);
}

async function reviewDeletion(request: AdmissionRequest, old: RoleTemplate, world: RancherWorld): Promise<AdmissionAnswer> {
  const { name } = request;
  if (old.builtin) return notAllowed(RoleTemplate, request, 'built-in roles cannot be deleted');
  const heirs = (await world.list(RoleTemplate)).filter(({ roleTemplateNames = [] }) => roleTemplateNames.includes(name));
  const globalRoles = (await world.list(GlobalRole)).filter(({ inheritedClusterRoles = [] }) => inheritedClusterRoles.includes(name));
  const users = [
    ...heirs.map(one => `RoleTemplate "${one.metadata.name}"`),
    ...globalRoles.map(one => `GlobalRole "${one.metadata.name}"`),
  ];
  if (users.length > 0) return notAllowed(RoleTemplate, request, `it is inherited by ${users.slice(0, 10).join(', ')}`);
  const bindings = [...(await world.list(ClusterRoleTemplateBinding)), ...(await world.list(ProjectRoleTemplateBinding))];
  const binding = bindings.find(one => one.roleTemplateName === name && one.metadata.deletionTimestamp === undefined);
  return binding ? notAllowed(RoleTemplate, request, `"${keyOf(binding)}" still gives it to somebody`) : {};
}
