import type { ObjectMeta } from '../api/object.ts';

/** Names an object of a known kind: `namespace/name`, or the name alone. */
export type Key = string;

export function keyOf({ metadata }: { metadata: Pick<ObjectMeta, 'namespace' | 'name'> }): Key {
  const { namespace = '', name = '' } = metadata;
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function splitKey(key: Key): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
