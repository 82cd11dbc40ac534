import { randomUUID } from 'node:crypto';
import { qualifiedResource, type GroupResource, type GroupVersionResource, type KubeObject } from '../api/object.ts';
import { alreadyExists, modifiedConflict, notFoundError } from '../api/status.ts';
import type { Change, ClusterApi } from '../apiserver/cluster-api.ts';
import { cloneJson } from '../util/json.ts';

export interface MemoryCluster extends ClusterApi {
  put(gr: GroupResource, obj: KubeObject): KubeObject;
  drop(gr: GroupResource, namespace: string, name: string): void;
}

/** As much of a server as authorization and its controllers see, for their tests. No admission, no defaults. */
export function memoryCluster(): MemoryCluster {
  const objects = new Map<string, { gr: GroupResource; obj: KubeObject }>();
  const listeners = new Set<(change: Change) => void>();
  let revision = 0;
  const keyOf = (gr: GroupResource, namespace: string, name: string) => `${qualifiedResource(gr)}|${namespace}|${name}`;

  function emit(type: Change['type'], gr: GroupResource, obj: KubeObject, old: KubeObject | undefined): void {
    const { namespace = '', name = '' } = obj.metadata;
    const resource = { group: gr.group, resource: gr.resource };
    for (const listener of listeners) listener({ type, resource, namespace, name, revision, obj, old });
  }

  function put(gr: GroupResource, obj: KubeObject): KubeObject {
    const { namespace = '', name = '' } = obj.metadata;
    const key = keyOf(gr, namespace, name);
    const old = objects.get(key)?.obj;
    const uid = obj.metadata.uid ?? old?.metadata.uid ?? randomUUID();
    const stored = cloneJson({ ...obj, metadata: { ...obj.metadata, uid, resourceVersion: `${++revision}` } });
    objects.set(key, { gr, obj: stored });
    emit(old ? 'MODIFIED' : 'ADDED', gr, stored, old);
    return stored;
  }

  function drop(gr: GroupResource, namespace: string, name: string): void {
    const key = keyOf(gr, namespace, name);
    const old = objects.get(key)?.obj;
    if (!old) throw notFoundError(gr, name);
    objects.delete(key);
    revision++;
    emit('DELETED', gr, old, old);
  }

  const peek = (gr: GroupResource, namespace: string, name: string) => objects.get(keyOf(gr, namespace, name))?.obj;
  const peekAll = (gr: GroupResource, namespace?: string) =>
    [...objects.values()]
      .filter(e => qualifiedResource(e.gr) === qualifiedResource(gr) && (namespace === undefined || e.obj.metadata.namespace === namespace))
      .map(e => e.obj)
      .sort((a, b) => (printKey(a) < printKey(b) ? -1 : 1));

  return {
    catalog: { find: () => undefined, findKind: () => undefined, all: () => [], generation: 0 },
    put,
    drop,
    peek,
    peekAll,
    count: (gr, namespace) => peekAll(gr, namespace).length,
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async create(gvr: GroupVersionResource, obj) {
      const { namespace = '', name = '' } = obj.metadata;
      if (peek(gvr, namespace, name)) throw alreadyExists(gvr, name);
      return put(gvr, obj);
    },
    async update(gvr: GroupVersionResource, obj) {
      const { namespace = '', name = '', resourceVersion } = obj.metadata;
      const present = peek(gvr, namespace, name);
      if (!present) throw notFoundError(gvr, name);
      if (resourceVersion !== undefined && resourceVersion !== present.metadata.resourceVersion) throw modifiedConflict(gvr, name);
      return put(gvr, obj);
    },
    async patch(gvr: GroupVersionResource, { namespace, name }, { body }) {
      const present = peek(gvr, namespace, name);
      if (!present) throw notFoundError(gvr, name);
      const change = body as unknown as KubeObject;
      const labels = { ...present.metadata.labels, ...change.metadata.labels };
      return put(gvr, { ...present, ...change, metadata: { ...present.metadata, labels } });
    },
    async delete(gvr: GroupVersionResource, { namespace, name }) {
      drop(gvr, namespace, name);
    },
  };
}

const printKey = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
