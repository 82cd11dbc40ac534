import type { Key } from '../../../runtime/key.ts';
import type { RoleTemplate } from '../kinds/role.ts';
import { projectKeyOf, type AccessObjects } from './access-objects.ts';

/** Where a RoleTemplate is given, itself or by one that inherits it. */
export interface TemplateUsers {
  /** Itself and all that inherit it. */
  heirs(template: RoleTemplate): string[];
  /** Ids of clusters: where it is given, or given in one of its projects. */
  clusters(template: RoleTemplate): string[];
  /** Keys of Projects: where it is given, or given in their clusters. */
  projects(template: RoleTemplate): Key[];
}

type Objects = Pick<AccessObjects, 'templates' | 'clusterBindings' | 'projectBindings' | 'projects' | 'globalRoles'>;

export function templateUsers(objects: Objects, allClusters: () => readonly string[]): TemplateUsers {
  const { templates, clusterBindings, projectBindings, projects, globalRoles } = objects;
  return { heirs, clusters, projects: usingProjects };

  function heirs({ metadata }: RoleTemplate): string[] {
    const found = new Set([metadata.name!]);
    for (const name of found) for (const heir of templates.by('heir', name)) found.add(heir.metadata.name!);
    return [...found];
  }

  function wholeClusters(names: readonly string[]): string[] {
    if (globalRoles.list().some(({ inheritedClusterRoles = [] }) => inheritedClusterRoles.some(one => names.includes(one))))
      return [...allClusters()];
    return names.flatMap(name => clusterBindings.by('template', name).map(({ clusterName }) => clusterName));
  }

  function clusters(template: RoleTemplate): string[] {
    const names = heirs(template);
    const ofProjects = names.flatMap(name => projectBindings.by('template', name).map(({ projectName }) => projectName.split(':', 1)[0]!));
    return [...new Set([...wholeClusters(names), ...ofProjects])];
  }

  function usingProjects(template: RoleTemplate): Key[] {
    const names = heirs(template);
    const direct = names.flatMap(name => projectBindings.by('template', name).map(({ projectName }) => projectKeyOf(projectName)));
    const byCluster = new Set(wholeClusters(names))
      .values()
      .flatMap(id => projects.by('cluster', id).map(({ metadata }) => `${id}/${metadata.name}`));
    return [...new Set([...direct, ...byCluster])];
  }
}
