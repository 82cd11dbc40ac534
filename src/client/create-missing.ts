import type { KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient, WriteOptions } from './kube-client.ts';

/** The object as it is there now, made unless it was there. What others have changed about it stays. */
export async function createMissing<T extends KubeObject>(client: KubeClient, kind: KindRef<T>, obj: T, options: WriteOptions): Promise<T> {
  const { namespace, name = '' } = obj.metadata;
  const present = await client.get(kind, { namespace, name }, options);
  if (present) return present;
  try {
    return await client.create(kind, obj, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
    const made = await client.get(kind, { namespace, name }, options);
    if (!made) throw error;
    return made;
  }
}
