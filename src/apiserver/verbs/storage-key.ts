import { badRequest, plainError } from '../../api/status.ts';
import { goQuote } from '../../util/go-quote.ts';
import type { ObjectTarget } from '../request.ts';
import type { Resource } from '../resource.ts';
import { isPathSegmentName } from '../../api/names.ts';

const oldPlaces: Readonly<Record<string, string>> = {
  '/replicationcontrollers': 'controllers',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
};

/** Refuses names and namespaces of a path that could not be part of a key. An empty name stands for a whole collection. */
export function checkStorageKey(resource: Resource, { namespace, name }: ObjectTarget): void {
  const problems = name === '' ? [] : isPathSegmentName(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
  if (namespace !== '.' && namespace !== '..') return;
  const key = storageKey(resource, { namespace, name }).replace(/^\/registry|\/$/g, '');
  throw plainError(`invalid key: ${goQuote(key)}`);
}

/** Where etcd would keep an object: some messages of the API name it. */
export function storageKey(resource: Resource, { namespace, name }: ObjectTarget): string {
  const place = oldPlaces[resource.storeKey] ?? (resource.isCustom ? resource.storeKey : resource.resource);
  return ['/registry', place, ...(resource.namespaced ? [namespace] : []), name].join('/');
}
