import type { KubeObject } from '../../../../api/object.ts';
import { ClusterRoleTemplateBinding, GlobalRoleBinding, ProjectRoleTemplateBinding } from '../../kinds/role.ts';
import { kindType, once } from '../kind-type.ts';
import { invalidField } from '../norman-error.ts';
import type { NormanType } from '../norman-type.ts';
import type { ClusterType } from './cluster.ts';
import { bindingNamespace, type ProjectType } from './project.ts';

const person = {
  userId: { type: 'reference[user]', ...once, at: 'userName' },
  userPrincipalId: { type: 'reference[principal]', ...once, at: 'userPrincipalName' },
  groupPrincipalId: { type: 'reference[principal]', ...once, at: 'groupPrincipalName' },
} as const;
const member = {
  name: { type: 'string', at: 'metadata.name' },
  roleTemplateId: { type: 'reference[roleTemplate]', ...once, required: true, at: 'roleTemplateName' },
  ...person,
  groupId: { type: 'reference[group]', ...once, at: 'groupName' },
} as const;

/** `/v3/globalrolebindings`. */
export const globalRoleBindingType: NormanType = kindType<GlobalRoleBinding>({
  id: 'globalRoleBinding',
  plural: 'globalRoleBindings',
  kind: GlobalRoleBinding,
  prefix: 'grb-',
  isFlat: true,
  resourceMethods: ['GET', 'PUT', 'DELETE'],
  fields: {
    name: { type: 'string', at: 'metadata.name' },
    globalRoleId: { type: 'reference[globalRole]', ...once, required: true, at: 'globalRoleName' },
    ...person,
  },
});

/** `/v3/clusterroletemplatebindings`. */
export function clusterBindingType(clusters: ClusterType): NormanType {
  return kindType<ClusterRoleTemplateBinding>({
    id: 'clusterRoleTemplateBinding',
    plural: 'clusterRoleTemplateBindings',
    kind: ClusterRoleTemplateBinding,
    prefix: 'crtb-',
    isFlat: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: { ...member, clusterId: { type: 'reference[cluster]', ...once, required: true, at: 'clusterName' } },
    namespaces: clusters.visibleIds,
    namespaceOfList: scope => scope.equals('clusterId'),
    namespaceOf: fields => String(fields['clusterId']),
    prepare: async (_ctx, binding) => withoutDoubleSubject(binding),
  });
}

/** `/v3/projectroletemplatebindings`. */
export function projectBindingType(projects: ProjectType): NormanType {
  return kindType<ProjectRoleTemplateBinding>({
    id: 'projectRoleTemplateBinding',
    plural: 'projectRoleTemplateBindings',
    kind: ProjectRoleTemplateBinding,
    prefix: 'prtb-',
    isFlat: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      ...member,
      projectId: { type: 'reference[project]', ...once, required: true, at: 'projectName' },
      serviceAccount: { type: 'string', ...once, nullable: true },
    },
    namespaces: projects.bindingNamespaces,
    async prepare(ctx, binding) {
      const project = await projects.store!.get(ctx, binding.projectName);
      if (!project) throw invalidField('InvalidReference', 'projectId', `there is no project ${JSON.stringify(binding.projectName)}`);
      const namespace = bindingNamespace(project.id, project.fields()['backingNamespace']);
      return withoutDoubleSubject({ ...binding, metadata: { ...binding.metadata, namespace } });
    },
  });
}

/** The `rancher` program names a group as a user too. */
function withoutDoubleSubject<T extends KubeObject & { userPrincipalName?: string; groupPrincipalName?: string }>(binding: T): T {
  if (binding.userPrincipalName === undefined || binding.userPrincipalName !== binding.groupPrincipalName) return binding;
  const { userPrincipalName: _, ...rest } = binding;
  return rest as unknown as T;
}
