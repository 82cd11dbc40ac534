import type { KubeObject } from '../../../../api/object.ts';
import { accessAnnotations, accessLabels } from '../../access/access-names.ts';

const { project: annotation } = accessAnnotations;
const { project: label } = accessLabels;

/** The project that a namespace is in, `<cluster>:<project>`. */
export function projectIdOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotation];
}

/** The namespace in another project, or in none when that is ''. The label names the project alone: labels cannot hold a colon. */
export function inProject<T extends KubeObject>(namespace: T, projectId: string): T {
  const { [annotation]: _annotation, ...annotations } = namespace.metadata.annotations ?? {};
  const { [label]: _label, ...labels } = namespace.metadata.labels ?? {};
  if (projectId !== '') {
    annotations[annotation] = projectId;
    labels[label] = projectId.slice(projectId.indexOf(':') + 1);
  }
  return { ...namespace, metadata: { ...namespace.metadata, annotations, labels } };
}
