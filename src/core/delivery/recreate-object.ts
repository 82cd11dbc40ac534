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
    if (uid !== undefined) {
      await client.delete(kind, key, { propagationPolicy: 'Background', preconditions: { uid }, signal });
      await untilGone(async () => (await client.get(kind, key, { signal }))?.metadata.uid !== uid, object, signal);
    }
    return await retryRefused(apply, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw explainRefusal('apply', object, error);
  }
}

async function untilGone(isGone: () => Promise<boolean>, object: ReturnType<typeof refOf>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + goneTimeoutMs;
  while (!(await isGone())) {
    if (performance.now() > deadline) {
      const words = `cannot create ${refText(object)} anew: the old one was deleted but is not gone after ${goneTimeoutMs / 1000} s: look at its finalizers`;
      throw new DeliveryError(workReasons.applyFailed, words, { object });
    }
    await sleep(lookEveryMs, undefined, { signal });
  }
}
