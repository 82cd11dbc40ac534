import { GlobalRole, RoleTemplate } from '../../kinds/role.ts';
import { always, kindType } from '../kind-type.ts';
import type { NormanType } from '../norman-type.ts';

const rules = { type: 'array[json]', ...always, nullable: true } as const;
const map = { type: 'json', ...always, nullable: true } as const;
const flag = { type: 'boolean', ...always, default: false } as const;
const shown = {
  name: { type: 'string', ...always, required: true, at: 'displayName' },
  description: { type: 'string', ...always, nullable: true },
  rules,
  builtin: { type: 'boolean', default: false },
} as const;

/** `/v3/globalroles`. */
export const globalRoleType: NormanType = kindType<GlobalRole>({
  id: 'globalRole',
  plural: 'globalRoles',
  kind: GlobalRole,
  prefix: 'gr-',
  isFlat: true,
  resourceMethods: ['GET', 'PUT', 'DELETE'],
  fields: {
    ...shown,
    namespacedRules: map,
    inheritedClusterRoles: { type: 'array[string]', ...always, nullable: true },
    inheritedNamespacedRules: map,
    inheritedFleetWorkspacePermissions: map,
    newUserDefault: flag,
  },
});

/** `/v3/roletemplates`. */
export const roleTemplateType: NormanType = kindType<RoleTemplate>({
  id: 'roleTemplate',
  plural: 'roleTemplates',
  kind: RoleTemplate,
  prefix: 'rt-',
  isFlat: true,
  resourceMethods: ['GET', 'PUT', 'DELETE'],
  fields: {
    ...shown,
    context: { type: 'enum', ...always, options: ['cluster', 'project', ''], default: '' },
    roleTemplateIds: { type: 'array[reference[roleTemplate]]', ...always, nullable: true, at: 'roleTemplateNames' },
    external: flag,
    externalRules: rules,
    hidden: flag,
    locked: flag,
    administrative: flag,
    clusterCreatorDefault: flag,
    projectCreatorDefault: flag,
  },
});
