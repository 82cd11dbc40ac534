import type { KubeObject } from '../../api/object.ts';
import { workReasons, type Work } from '../../api/work.ts';
import { keyOf } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import { namespacesToMake } from './ensure-namespaces.ts';

/**
 * Asks the member about every object, and changes nothing. Throws a DeliveryError with all that it refuses. What only lacks a definition, a
 * namespace or an account of the same delivery is not refused.
 */
export async function checkFirst(work: Work, objects: readonly KubeObject[], member: Member, signal: AbortSignal): Promise<void> {
  const refusals: DeliveryError[] = [];
  const made = objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
    .map(({ metadata }) => metadata.name ?? '');
  await applyObjects(member, objects, {
    owner: { work: keyOf(work) },
    manner: work.spec.options?.apply,
    takeOwnership: true,
    dryRun: true,
    comingNamespaces: new Set([...made, ...namespacesToMake(work, objects)]),
    ...(work.spec.options?.force !== undefined && { force: work.spec.options.force }),
    onRefused: refusal => refusals.push(refusal),
    signal,
  });
  if (refusals.length === 0) return;
  const words = refusals.map(refusal => errorText(refusal)).sort();
  const isDenied = refusals.every(({ reason }) => reason === workReasons.policyDenied);
  throw new DeliveryError(isDenied ? workReasons.policyDenied : workReasons.applyFailed, `nothing was changed: ${words.join('; ')}`, {
    object: refusals[0]!.object,
    isFinal: refusals.every(({ isFinal }) => isFinal),
  });
}
