import type { GroupResource, KubeObject } from '../../api/object.ts';
import type { Change, ClusterApi } from '../../apiserver/cluster-api.ts';
import { controllerOf } from './stored-object.ts';

/** The objects of one resource by the controller that manages them, so that a controller reads its own and not a whole namespace. */
export interface ControlledObjects {
  /** Objects whose controller has this uid. */
  of(namespace: string, uid: string): KubeObject[];
  /** Objects that no controller manages. */
  orphans(namespace: string): KubeObject[];
  observe(change: Change): void;
}

/** Reads the resource once, then follows its changes. Holds names only. */
export function controlledObjects(api: ClusterApi, gr: GroupResource): ControlledObjects {
  const names = new Map<string, Set<string>>();
  const owners = new Map<string, string>();
  for (const obj of api.peekAll(gr)) note(obj.metadata.namespace ?? '', obj.metadata.name ?? '', obj);

  return {
    of: (namespace, uid) => read(namespace, `${namespace}/${uid}`),
    orphans: namespace => read(namespace, `${namespace}/`),
    observe: ({ type, namespace, name, obj }) => (type === 'DELETED' ? forget(`${namespace}/${name}`, name) : note(namespace, name, obj)),
  };

  function note(namespace: string, name: string, obj: KubeObject): void {
    const key = `${namespace}/${name}`;
    const owner = `${namespace}/${controllerOf(obj)?.uid ?? ''}`;
    if (owners.get(key) === owner) return;
    forget(key, name);
    owners.set(key, owner);
    const siblings = names.get(owner);
    if (siblings) siblings.add(name);
    else names.set(owner, new Set([name]));
  }

  function forget(key: string, name: string): void {
    const owner = owners.get(key);
    if (owner === undefined) return;
    owners.delete(key);
    const siblings = names.get(owner);
    siblings?.delete(name);
    if (siblings?.size === 0) names.delete(owner);
  }

  function read(namespace: string, owner: string): KubeObject[] {
    const found: KubeObject[] = [];
    for (const name of names.get(owner) ?? []) {
      const obj = api.peek(gr, namespace, name);
      if (obj) found.push(obj);
    }
    return found;
  }
}
