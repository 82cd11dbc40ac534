import { Namespace } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { AccessManagement } from './kinds/management.ts';
import type { InformerSettings } from './template-informers.ts';

/** What says which namespaces may use what. */
export interface AccessInformers {
  readonly managements: Informer<AccessManagement>;
  readonly namespaces: Informer<Namespace>;
}

export function accessInformers(hub: KubeClient, { signal, onError }: InformerSettings): AccessInformers {
  return {
    managements: informer(hub, AccessManagement, { signal, onError: onError('AccessManagement') }),
    namespaces: informer(hub, Namespace, { signal, onError: onError('Namespace') }),
  };
}
