import type { KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { CallOptions, KubeClient } from './kube-client.ts';
import { isMissing } from './missing-object.ts';

/** Holds an object back from its removal. Throws a conflict when the object has changed since it was read. */
export async function addFinalizer<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  obj: T,
  finalizer: string,
  call: CallOptions,
): Promise<void> {
  const present = obj.metadata.finalizers ?? [];
  if (!present.includes(finalizer)) await writeFinalizers(client, kind, obj, [...present, finalizer], call);
}

/** Lets an object go as far as this finalizer is concerned. Throws a conflict when the object has changed since it was read. */
export async function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  obj: T,
  finalizer: string,
  call: CallOptions,
): Promise<void> {
  const present = obj.metadata.finalizers ?? [];
  if (!present.includes(finalizer)) return;
  try {
    await writeFinalizers(
      client,
      kind,
      obj,
      present.filter(one => one !== finalizer),
      call,
    );
  } catch (error) {
    if (!isMissing(error, { name: obj.metadata.name ?? '' })) throw error;
  }
}

/** The list is replaced as a whole, so it must be the one that was read. */
async function writeFinalizers<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  { metadata }: T,
  finalizers: string[],
  call: CallOptions,
): Promise<void> {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  const body = { metadata: { uid, resourceVersion, finalizers } };
  await client.patch(kind, { namespace, name }, { type: 'merge', body }, call);
}
