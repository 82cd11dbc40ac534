import { forbidden, invalid, notFound, required, type FieldError } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { splitProjectName } from '../access/access-objects.ts';
import { everything } from '../access/builtin-rule.ts';
import { projectNamespaces, rulesInProject, type Scope } from '../access/effective-rules.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { duplicated, faulty, refuseEscalation } from './answers.ts';
import { changedFields } from './changed-fields.ts';
import { subjectFaults, subjectKey } from './check-subject.ts';
import { mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingInScope, rulesOfTemplate } from './scope-rights.ts';

type Binding = ClusterRoleTemplateBinding | ProjectRoleTemplateBinding;

/** What is different between bindings of clusters and of projects. */
interface BindingKind {
  readonly kind: typeof ClusterRoleTemplateBinding | typeof ProjectRoleTemplateBinding;
  readonly context: 'cluster' | 'project';
  /** The field that says where. */
  readonly place: 'clusterName' | 'projectName';
  scopeOf(binding: Binding): Scope;
  /** The namespaces in which such a binding counts. */
  namespacesOf(scope: Scope): readonly string[];
  isThere(scope: Scope, world: RancherWorld): Promise<boolean>;
  list(namespace: string, world: RancherWorld): Promise<readonly Binding[]>;
}

const ofCluster: BindingKind = {
  kind: ClusterRoleTemplateBinding,
  context: 'cluster',
  place: 'clusterName',
  scopeOf: binding => ({ cluster: (binding as ClusterRoleTemplateBinding).clusterName }),
  namespacesOf: ({ cluster }) => [cluster],
  isThere: async ({ cluster }, world) => (await world.get(ManagementCluster, { name: cluster })) !== undefined,
  list: (namespace, world) => world.list(ClusterRoleTemplateBinding, namespace),
};

const ofProject: BindingKind = {
  kind: ProjectRoleTemplateBinding,
  context: 'project',
  place: 'projectName',
  scopeOf: binding => splitProjectName((binding as ProjectRoleTemplateBinding).projectName),
  namespacesOf: ({ cluster, project = '' }) => projectNamespaces(cluster, project),
  isThere: async ({ cluster, project = '' }, world) => (await world.get(Project, { namespace: cluster, name: project })) !== undefined,
  list: (namespace, world) => world.list(ProjectRoleTemplateBinding, namespace),
};

export const reviewClusterRoleTemplateBinding = (request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> =>
  reviewBinding(ofCluster, request, world);
export const reviewProjectRoleTemplateBinding = (request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> =>
  reviewBinding(ofProject, request, world);

async function reviewBinding(of: BindingKind, request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as Binding | undefined;
  const next = request.object as Binding;
  const changed = old ? changedFields(old, next) : [];
  const fixed = changed.filter(field => field === of.place || field === 'roleTemplateName');
  if (fixed.length > 0)
    return faulty(
      request,
      fixed.map(field => forbidden(field, 'field is immutable')),
    );
  if (old && changed.length === 0) return {};
  const scope = of.scopeOf(next);
  const faults = [...(await subjectFaults(old, next, world)), ...(old ? [] : await newBindingFaults(of, next, world))];
  if (faults.length > 0) return faulty(request, faults);
  const same = old ? undefined : await sameBinding(of, next, world);
  if (same) return duplicated(of.kind, same.metadata.name!);
  if (await mayManage(world, 'bind', RoleTemplate.resource, next.roleTemplateName)) return {};
  const rules = (await rulesOfTemplate(next.roleTemplateName, world)) ?? everything;
  const given = scope.project === undefined ? rules : rulesInProject(rules);
  return refuseEscalation(of.kind, request, await lackingInScope(given, scope, world));
}

async function newBindingFaults(of: BindingKind, binding: Binding, world: RancherWorld): Promise<FieldError[]> {
  const scope = of.scopeOf(binding);
  const namespaces = of.namespacesOf(scope);
  const place = (binding as unknown as Record<string, string>)[of.place];
  if (scope.cluster === '' || scope.project === '') return [required(of.place)];
  if (!namespaces.includes(binding.metadata.namespace ?? ''))
    return [invalid('metadata.namespace', binding.metadata.namespace, `must be ${namespaces.map(one => `"${one}"`).join(' or ')}`)];
  const isThere = await of.isThere(scope, world);
  return [...(isThere ? [] : [notFound(of.place, place)]), ...(await templateFaults(of, binding, world))];
}

async function templateFaults({ context }: BindingKind, { roleTemplateName }: Binding, world: RancherWorld): Promise<FieldError[]> {
  const template = await world.get(RoleTemplate, { name: roleTemplateName });
  if (!template) return [notFound('roleTemplateName', roleTemplateName)];
  if (template.context !== context)
    return [invalid('roleTemplateName', roleTemplateName, `the context of the role must be "${context}", not "${template.context ?? ''}"`)];
  return template.locked ? [invalid('roleTemplateName', roleTemplateName, 'the role is locked')] : [];
}

async function sameBinding(of: BindingKind, next: Binding, world: RancherWorld): Promise<Binding | undefined> {
  const scope = of.scopeOf(next);
  const isSame = (one: Binding) => {
    const other = of.scopeOf(one);
    const isOther = one.metadata.name !== next.metadata.name || one.metadata.namespace !== next.metadata.namespace;
    const isThere = other.cluster === scope.cluster && other.project === scope.project;
    return isOther && isThere && one.roleTemplateName === next.roleTemplateName && subjectKey(one) === subjectKey(next);
  };
  for (const namespace of of.namespacesOf(scope)) {
    const found = (await of.list(namespace, world)).find(isSame);
    if (found) return found;
  }
  return undefined;
}
