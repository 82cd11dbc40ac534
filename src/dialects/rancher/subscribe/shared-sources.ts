import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';

export interface SourceOptions {
  readonly signal: AbortSignal;
  onError?(kind: string): (error: unknown) => void;
}

/** Informers that begin with the first who asks for their kind and are shared by all. They keep no more than which objects there are. */
export function sharedSources(hub: KubeClient, { signal, onError }: SourceOptions): (kind: KindRef) => Informer {
  const started = new Map<string, Informer>();
  return kind => {
    const key = `${kind.group}/${kind.resource}`;
    let source = started.get(key);
    if (!source) {
      const heard = onError?.(kind.kind);
      started.set(key, (source = informer(hub, kind, { signal, keep: namesOf, ...(heard && { onError: heard }) })));
    }
    return source;
  };
}

/** Of an object only what it is called by. */
export function namesOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const known = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(known) as KubeObject['metadata'] };
}
