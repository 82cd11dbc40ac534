import type { GroupResource, KubeObject } from '../../api/object.ts';
import type { Ingress, PersistentVolumeClaim } from '../../api/kubernetes.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { AdmissionPlugin } from './admission.ts';
import { concerns, isMainResource, specOf } from './admission-errors.ts';

const storageClasses = { group: 'storage.k8s.io', resource: 'storageclasses' };
const ingressClasses = { group: 'networking.k8s.io', resource: 'ingressclasses' };

export function defaultStorageClass(): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: request => request.operation === 'CREATE' && concerns(request, '', 'persistentvolumeclaims') && isMainResource(request),
    mutate: ({ object, api }) => {
      const claim = object as unknown as PersistentVolumeClaim;
      if (claim.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] !== undefined) return;
      if (claim.spec?.storageClassName !== undefined) return;
      const name = newestDefault(api, storageClasses, [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ]);
      if (name !== undefined) specOf<{ storageClassName?: string }>(object!).storageClassName = name;
    },
  };
}

export function defaultIngressClass(): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: request => request.operation === 'CREATE' && concerns(request, 'networking.k8s.io', 'ingresses') && isMainResource(request),
    mutate: ({ object, api }) => {
      const ingress = object as unknown as Ingress;
      if (ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
      if (ingress.spec?.ingressClassName !== undefined) return;
      const name = newestDefault(api, ingressClasses, ['ingressclass.kubernetes.io/is-default-class']);
      if (name !== undefined) specOf<{ ingressClassName?: string }>(object!).ingressClassName = name;
    },
  };
}

function newestDefault(api: ClusterApi, gr: GroupResource, annotations: readonly string[]): string | undefined {
  const defaults = api.peekAll(gr).filter(({ metadata }) => annotations.some(a => metadata.annotations?.[a] === 'true'));
  return defaults.sort(byAge)[0]?.metadata.name;
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [left, right] = [Date.parse(a.metadata.creationTimestamp ?? ''), Date.parse(b.metadata.creationTimestamp ?? '')];
  return left === right ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : right - left;
}
