import type { KindRef } from '../../api/define-kind.ts';
import { workReasons, type Work } from '../../api/work.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { explainRefusal } from '../delivery/explain-refusal.ts';
import { installStages } from '../delivery/install-stages.ts';
import type { Member } from '../delivery/member.ts';
import { refText, type ObjectRef } from '../delivery/object-ref.ts';
import { isNoSuchKind, retryRefused } from '../delivery/retry-refused.ts';
import { errorText } from '../../util/error-text.ts';

/**
 * Deletes the objects that a Work names in `remove`, the last kind of the order of installation first, whoever put them there; only what another
 * Work delivers is refused. All are tried before a DeliveryError tells what could not be deleted.
 */
export async function removeBesides(
  refs: readonly ObjectRef[],
  member: Member,
  { deliveredBy, signal }: { deliveredBy(ref: ObjectRef): Work | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const refusals: DeliveryError[] = [];
  for (const ref of installStages(refs, ({ kind }) => kind)
    .reverse()
    .flat()) {
    const other = deliveredBy(ref);
    if (other) refusals.push(wantedByOther(ref, other));
    else await remove(ref, member, signal).catch((error: unknown) => refusals.push(refused(ref, error, signal)));
  }
  const [first] = refusals;
  if (!first) return;
  throw new DeliveryError(first.reason, refusals.map(refusal => errorText(refusal)).join('; '), {
    object: first.object,
    isFinal: refusals.every(({ isFinal }) => isFinal),
  });
}

async function remove(ref: ObjectRef, { client, kinds }: Member, signal: AbortSignal): Promise<void> {
  const kind: KindRef | undefined = await kinds.find(ref, signal);
  if (!kind) return;
  const key = { name: ref.name, ...(ref.namespace !== undefined && { namespace: ref.namespace }) };
  try {
    await retryRefused(() => client.delete(kind, key, { propagationPolicy: 'Foreground', signal }), { signal });
  } catch (error) {
    if (!isNoSuchKind(error)) throw error;
  }
}

function refused(ref: ObjectRef, error: unknown, signal: AbortSignal): DeliveryError {
  signal.throwIfAborted();
  const refusal = explainRefusal('delete', ref, error);
  if (refusal.reason === workReasons.clusterUnreachable) throw refusal;
  return refusal;
}

const wantedByOther = (ref: ObjectRef, { metadata }: Work): DeliveryError =>
  new DeliveryError(workReasons.notOwned, `cannot delete ${refText(ref)}: Work "${metadata.name}" delivers it`, {
    object: ref,
    isFinal: true,
  });
