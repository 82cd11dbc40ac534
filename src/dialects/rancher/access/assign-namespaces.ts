import { Namespace } from '../../../api/builtin-kinds.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { Project } from '../kinds/project.ts';
import { findRancherCondition } from '../clusters/rancher-condition.ts';
import { rancherLabels } from '../names.ts';
import { accessAnnotations, accessLabels } from './access-names.ts';

/** A project that namespaces of its cluster are given to once, as Rancher does it. */
export interface Assignment {
  readonly project: Project;
  /** What the project says when it has been done. */
  readonly condition: string;
  readonly namespaces: ReadonlySet<string>;
}

const defaultNamespaces = new Set(['default']);

/** What is still to be given to the projects of a cluster: its system's namespaces to the one for the system, `default` to the default one. */
export function openAssignments(projects: readonly Project[], systemNamespaces: string): Assignment[] {
  const ofSystem = new Set(
    systemNamespaces
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== ''),
  );
  const kinds = [
    { label: rancherLabels.defaultProject, condition: 'DefaultNamespacesAssigned', namespaces: defaultNamespaces },
    { label: rancherLabels.systemProject, condition: 'SystemNamespacesAssigned', namespaces: ofSystem },
  ];
  return kinds.flatMap(({ label, condition, namespaces }) =>
    projects
      .filter(({ metadata }) => metadata.labels?.[label] === 'true' && metadata.deletionTimestamp === undefined)
      .filter(project => findRancherCondition(project, condition)?.status !== 'True')
      .map(project => ({ project, condition, namespaces })),
  );
}

/** The change that puts a namespace into a project. Undefined when it is not meant, or somebody has put it into a project already, of this hub or another. */
export function assignmentPatch({ metadata }: Namespace, { project, namespaces }: Assignment): JsonObject | undefined {
  const { name = '', annotations = {}, resourceVersion = '', deletionTimestamp } = metadata;
  if (!namespaces.has(name) || deletionTimestamp !== undefined || (annotations[accessAnnotations.project] ?? '') !== '') return undefined;
  const { namespace: cluster = '', name: id = '' } = project.metadata;
  return {
    metadata: {
      // Whoever puts it elsewhere meanwhile is not overruled.
      resourceVersion,
      annotations: { [accessAnnotations.project]: `${cluster}:${id}` },
      labels: { [accessLabels.project]: id },
    },
  };
}
