import type { ObjectTarget } from '../request.ts';
import type { Resource } from '../resource.ts';

const oldPlaces: Readonly<Record<string, string>> = {
  '/replicationcontrollers': 'controllers',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
};

/** Where etcd would keep an object: some messages of the API name it. */
export function storageKey(resource: Resource, { namespace, name }: ObjectTarget): string {
  const place = oldPlaces[resource.storeKey] ?? (resource.isCustom ? resource.storeKey : resource.resource);
  return ['/registry', place, ...(resource.namespaced ? [namespace] : []), name].join('/');
}
