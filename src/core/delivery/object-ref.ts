import { parseApiVersion, type KubeObject } from '../../api/object.ts';

/** Names one object of a member. */
export interface ObjectRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent for objects of the whole cluster. */
  readonly namespace?: string;
  readonly name: string;
}

export function refOf({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  const { namespace = '', name = '' } = metadata;
  return { ...parseApiVersion(apiVersion), kind, ...(namespace !== '' && { namespace }), name };
}

/** The identity of an object: the same in all versions of its kind. */
export function refKey({ group, kind, namespace = '', name }: ObjectRef): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** As people say it: `Deployment shop/web`. */
export function refText({ kind, namespace = '', name }: ObjectRef): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
