import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager, type ApplyManner } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { applyClientSide } from './apply-client-side.ts';

interface WriteOptions {
  readonly manner: ApplyManner | undefined;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Applies one object. A server that knows nothing of server-side apply gets what kubectl sends to it. */
export async function writeObject(
  client: KubeClient,
  kind: KindRef,
  obj: KubeObject,
  { manner = {}, dryRun, signal }: WriteOptions,
): Promise<KubeObject> {
  const options = { fieldManager: manner.fieldManager ?? deliveryManager, dryRun, signal };
  if (manner.mode === 'ClientSide') return applyClientSide(client, kind, obj, options);
  try {
    return await client.apply(kind, obj, { ...options, force: manner.force ?? true });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 415) throw error;
    return applyClientSide(client, kind, obj, options);
  }
}
