import type { Kind } from '../../api/define-kind.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { ClusterTemplate, ClusterTemplateChain, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { originKeys, type AnyTemplate } from './template-origin.ts';

export interface TemplateInformers {
  /** The three with `byOrigin`. */
  readonly serviceTemplates: Informer<ServiceTemplate>;
  readonly clusterTemplates: Informer<ClusterTemplate>;
  readonly providerTemplates: Informer<ProviderTemplate>;
  /** Both with `byTemplate`. */
  readonly serviceChains: Informer<ServiceTemplateChain>;
  readonly clusterChains: Informer<ClusterTemplateChain>;
}

/** Templates by what they come from: `originKey`. */
export const byOrigin = 'byOrigin';
/** Chains by the templates they list: `namespace/name`, and the name alone. */
export const byTemplate = 'byTemplate';

/** How informers of chains find them. */
export const chainIndexes = {
  [byTemplate]: ({ metadata, spec }: ServiceTemplateChain) =>
    (spec.supportedTemplates ?? []).flatMap(({ name }) => [`${metadata.namespace}/${name}`, name]),
} as const;

export interface InformerSettings {
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

export function templateInformers(hub: KubeClient, { signal, onError }: InformerSettings): TemplateInformers {
  const templates = <Spec, Status>(kind: Kind<Spec, Status>) =>
    informer(hub, kind, { signal, onError: onError(kind.kind), indexes: { [byOrigin]: obj => originKeys(obj as unknown as AnyTemplate) } });
  return {
    serviceTemplates: templates(ServiceTemplate),
    clusterTemplates: templates(ClusterTemplate),
    providerTemplates: templates(ProviderTemplate),
    serviceChains: informer(hub, ServiceTemplateChain, { signal, onError: onError('ServiceTemplateChain'), indexes: chainIndexes }),
    clusterChains: informer(hub, ClusterTemplateChain, { signal, onError: onError('ClusterTemplateChain'), indexes: chainIndexes }),
  };
}
