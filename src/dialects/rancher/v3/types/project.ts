import { Project } from '../../kinds/project.ts';
import { always, kindType, once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import type { NormanType } from '../norman-type.ts';
import type { ClusterType } from './cluster.ts';

export interface ProjectType extends NormanType {
  /** The namespaces of the hub that hold the bindings of projects the caller may see. */
  bindingNamespaces(ctx: NormanContext): Promise<readonly string[]>;
}

const settable = { type: 'json', ...always, nullable: true } as const;

/** `/v3/projects`. */
export function projectType(clusters: ClusterType): ProjectType {
  const type = kindType<Project>({
    id: 'project',
    plural: 'projects',
    kind: Project,
    prefix: 'p-',
    isStateful: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name: { type: 'string', ...always, required: true, at: 'spec.displayName' },
      description: { type: 'string', ...always, nullable: true },
      clusterId: { type: 'reference[cluster]', ...once, required: true, at: 'spec.clusterName' },
      resourceQuota: settable,
      namespaceDefaultResourceQuota: settable,
      containerDefaultResourceLimit: settable,
      backingNamespace: { type: 'string' },
      conditions: { type: 'array[json]' },
    },
    namespaces: clusters.visibleIds,
    namespaceOfList: scope => scope.equals('clusterId'),
    namespaceOf: fields => String(fields['clusterId']),
    schemasOf: id => `/v3/project/${id}/schemas`,
  });
  return {
    ...type,
    async bindingNamespaces(ctx) {
      const projects = await type.store.list(ctx, { equals: () => undefined });
      return [...new Set(projects.map(({ id, fields }) => bindingNamespace(id, fields()['backingNamespace'])))];
    },
  };
}

/** Where the bindings of a project are: in its own namespace of the hub, or in one of its name, as in the days before it had one. */
export function bindingNamespace(projectId: string, backingNamespace: unknown): string {
  return typeof backingNamespace === 'string' && backingNamespace !== '' ? backingNamespace : projectId.slice(projectId.indexOf(':') + 1);
}
