import { systemNamespace } from './kinds/group.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate } from './kinds/template.ts';

/** Whether what the template says is for the hub itself, whichever cluster the service is for. */
export function isLocalTemplate({ spec }: ServiceTemplate): boolean {
  return (spec.kustomize ?? spec.resources ?? spec.helm?.chartSource)?.deploymentType === 'Local';
}

/** Whoever may write in one namespace gets nothing onto the hub by it. */
export const mayUseHub = ({ metadata }: ServiceSet): boolean => metadata.namespace === systemNamespace;

export const localTemplateRefusal = (namespace: string, template: string): string =>
  `template ${namespace}/${template} has deploymentType Local: only templates of namespace "${systemNamespace}" are applied to the hub itself`;

export const hubTargetRefusal = `only ServiceSets in namespace "${systemNamespace}" may target the hub itself`;
