import type { KubeObject } from '../../../api/object.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import type { ClusterRoleTemplateBinding, GlobalRole, ProjectRoleTemplateBinding } from '../kinds/role.ts';
import { localId } from '../names.ts';
import { splitProjectName, type AccessObjects } from './access-objects.ts';
import { backingNamespaceOf } from './backing-namespace.ts';
import { permitsEverything } from './rule-questions.ts';
import { uniqueSubjects, type PolicyRule, type Subject } from './rbac-objects.ts';
import { memberSubjectOf, subjectOf, type FindUser, type Holder } from './subjects.ts';

/** A RoleTemplate in somebody's hands. */
export interface Grant {
  readonly template: string;
  /** On the hub. Absent for accounts of the member. */
  readonly subject?: Subject;
  /** On members. */
  readonly memberSubject: Subject;
}

/** Rules that hold in one namespace of a member. */
export interface NamespacedGrant {
  readonly role: string;
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  readonly subjects: readonly Subject[];
}

/** Who has which role where, from the bindings as they are. */
export interface Grants {
  /** In a cluster as a whole, those of GlobalRoles included. */
  ofCluster(id: string): Grant[];
  /** By the key of the Project. */
  ofProject(key: Key): Grant[];
  /** In any project of a cluster. */
  ofProjectsIn(id: string): Grant[];
  /** On members. */
  administrators(): Subject[];
  /** What GlobalRoles give in namespaces of every member. */
  inNamespaces(): NamespacedGrant[];
}

type Context = 'cluster' | 'project';
type Binding = Holder & KubeObject & { readonly roleTemplateName: string };
const otherThan = { cluster: 'project', project: 'cluster' } as const;
type Objects = Pick<
  AccessObjects,
  'globalRoles' | 'globalRoleBindings' | 'templates' | 'clusterBindings' | 'projectBindings' | 'projects' | 'users'
>;

export function grantsFrom(objects: Objects): Grants {
  const { globalRoles, globalRoleBindings, templates, clusterBindings, projectBindings, projects, users } = objects;
  const findUser: FindUser = principal => users.by('principal', principal)[0]?.metadata.name;

  return {
    ofCluster: id => [
      ...clusterBindings
        .by('cluster', id)
        .filter(isInCluster)
        .flatMap(one => grantOf(one, 'cluster')),
      ...(id === localId ? [] : inherited()),
    ],
    ofProject,
    ofProjectsIn: id => projects.by('cluster', id).flatMap(project => ofProject(keyOf(project))),
    administrators: () => uniqueSubjects(holdersOf(role => permitsEverything(role.rules ?? []))),
    inNamespaces: () =>
      globalRoles.list().flatMap(role =>
        Object.entries(role.inheritedNamespacedRules ?? {}).map(([namespace, rules]) => ({
          role: role.metadata.name!,
          namespace,
          rules,
          subjects: uniqueSubjects(holdersOf(one => one === role)),
        })),
      ),
  };

  function ofProject(key: Key): Grant[] {
    return projects.get(key)
      ? projectBindings
          .by('project', key)
          .filter(isInProject)
          .flatMap(one => grantOf(one, 'project'))
      : [];
  }

  /** A role for projects means nothing in a cluster as a whole, nor the other way round. */
  function grantOf(binding: Binding, context: Context): Grant[] {
    const template = templates.get(binding.roleTemplateName);
    const memberSubject = memberSubjectOf(binding, findUser);
    const isMeant = template && (template.context ?? '') !== otherThan[context] && binding.metadata.deletionTimestamp === undefined;
    if (!isMeant || !memberSubject) return [];
    const subject = subjectOf(binding, findUser);
    return [{ template: binding.roleTemplateName, memberSubject, ...(subject && { subject }) }];
  }

  function inherited(): Grant[] {
    return globalRoles
      .list()
      .flatMap(({ metadata, inheritedClusterRoles = [] }) =>
        inheritedClusterRoles.flatMap(roleTemplateName =>
          globalRoleBindings.by('role', metadata.name!).flatMap(binding => grantOf({ ...binding, roleTemplateName }, 'cluster')),
        ),
      );
  }

  function holdersOf(isWanted: (role: GlobalRole) => boolean): Subject[] {
    return globalRoles
      .list()
      .filter(isWanted)
      .flatMap(({ metadata }) => globalRoleBindings.by('role', metadata.name!))
      .flatMap(binding => memberSubjectOf(binding, findUser) ?? []);
  }
}

/** A binding that lies elsewhere was written by somebody who may not give away what it names. */
const isInCluster = ({ metadata, clusterName }: ClusterRoleTemplateBinding): boolean => metadata.namespace === clusterName;

function isInProject({ metadata, projectName }: ProjectRoleTemplateBinding): boolean {
  const { cluster, project } = splitProjectName(projectName);
  return metadata.namespace === backingNamespaceOf(cluster, project) || metadata.namespace === project;
}

/** Whether a GlobalRole means anything on members. */
export const concernsMembers = ({ rules = [], inheritedClusterRoles = [], inheritedNamespacedRules = {} }: GlobalRole): boolean =>
  permitsEverything(rules) || inheritedClusterRoles.length > 0 || Object.keys(inheritedNamespacedRules).length > 0;
