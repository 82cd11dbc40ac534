import type { KubeObject } from '../../api/object.ts';
import { refOf, refText } from '../../core/delivery/object-ref.ts';
import { systemNamespace } from './kinds/group.ts';
import type { ClusterTemplate } from './kinds/template.ts';
import { contentAnnotation } from './template-content.ts';

export interface ConfineInput {
  /** Of the ClusterDeployment. */
  readonly namespace: string;
  readonly digest: string;
  /** The ClusterTemplates of all namespaces. */
  readonly templates: readonly ClusterTemplate[];
  /** What the chart makes, with the namespaces that it will have. */
  readonly objects: readonly KubeObject[];
  /** Whether the chart brings kinds of its own. */
  readonly hasDefinitions: boolean;
}

/**
 * Why a chart may not be applied to the hub for a ClusterDeployment; undefined when it may. The hub may do everything there, and whoever may write in one
 * namespace may not: outside of the system namespace the chart must be one that the system namespace has as well, and stay in its own namespace.
 */
export function whyNotConfined({ namespace, digest, templates, objects, hasDefinitions }: ConfineInput): string | undefined {
  if (namespace === systemNamespace) return undefined;
  const isApproved = templates.some(
    ({ metadata, status }) =>
      metadata.namespace === systemNamespace && status?.valid === true && metadata.annotations?.[contentAnnotation] === digest,
  );
  if (!isApproved) return `no ClusterTemplate in namespace "${systemNamespace}" has this chart, so namespace "${namespace}" may not use it`;
  if (hasDefinitions) return `a chart for namespace "${namespace}" must not bring kinds of its own`;
  const outside = objects.find(({ metadata }) => metadata.namespace !== namespace);
  return outside && `a chart for namespace "${namespace}" must stay in it, and makes ${refText(refOf(outside))}`;
}
