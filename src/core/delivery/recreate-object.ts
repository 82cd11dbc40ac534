import { setTimeout as sleep } from 'node:timers/promises';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { Member } from './member.ts';
import { refOf, refText } from './object-ref.ts';
import { retryRefused } from './retry-refused.ts';

interface RecreateOptions {
  apply(): Promise<KubeObject>;
  readonly signal: AbortSignal;
}

/** With these go data that nobody can create anew. */
const precious = new Set(['Namespace', 'CustomResourceDefinition', 'PersistentVolume', 'PersistentVolumeClaim']);
const goneTimeoutMs = 60_000;
const lookEveryMs = 100;

/** Deletes an object and applies it when it is gone. */
export async function recreateObject(
  member: Member,
  kind: KindRef,
  obj: KubeObject,
  { apply, signal }: RecreateOptions,
): Promise<KubeObject> {
  const { client } = member;
  const object = refOf(obj);
  if (precious.has(kind.kind)) {
    const words = `cannot apply ${refText(object)}: it cannot be changed, and deleting it would delete data: delete it yourself when that is meant`;
    throw new DeliveryError(workReasons.applyFailed, words, { object, isFinal: true });
  }
  const key = { namespace: obj.metadata.namespace, name: object.name };
  try {
    const present = await client.get(kind, key, { signal });
    const { uid } = present?.metadata ?? {};
    if (uid === undefined) return await retryRefused(apply, { signal });
    await client.delete(kind, key, { propagationPolicy: 'Background', preconditions: { uid }, signal });
    return await applyAfter(member, kind, present!, { apply, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw explainRefusal('apply', object, error);
  }
}

/** Applies when an object that is being deleted is gone: until then all that is written goes with it. */
export async function applyAfter(
  { client }: Member,
  kind: KindRef,
  going: KubeObject,
  { apply, signal }: RecreateOptions,
): Promise<KubeObject> {
  const object = refOf(going);
  const { namespace, uid } = going.metadata;
  const deadline = performance.now() + goneTimeoutMs;
  try {
    while ((await client.get(kind, { namespace, name: object.name }, { signal }))?.metadata.uid === uid) {
      if (performance.now() > deadline) {
        const words = `cannot apply ${refText(object)}: the one before it is being deleted and not gone after ${goneTimeoutMs / 1000} s: look at its finalizers`;
        throw new DeliveryError(workReasons.applyFailed, words, { object });
      }
      await sleep(lookEveryMs, undefined, { signal });
    }
    return await retryRefused(apply, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw explainRefusal('apply', object, error);
  }
}
