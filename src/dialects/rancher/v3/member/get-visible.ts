import type { KindRef } from '../../../../api/define-kind.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { StatusError } from '../../../../api/status.ts';
import type { KubeClient, ObjectKey } from '../../../../client/kube-client.ts';

const timeoutMs = 30_000;

/** Undefined when there is none, and when the caller may not see it: who asks by a guess learns nothing. */
export async function getVisible<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.get(kind, key, { timeoutMs, signal });
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return undefined;
    throw error;
  }
}
