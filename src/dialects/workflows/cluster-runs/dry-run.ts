import type { KubeObject } from '../../../api/object.ts';
import { applyObjects } from '../../../core/delivery/apply-objects.ts';
import { workReasons } from '../../../api/work.ts';
import { DeliveryError } from '../../../core/delivery/delivery-error.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { errorText } from '../../../util/error-text.ts';
import type { StepContext } from './step-context.ts';
import { workNameOf } from './held-work.ts';

export interface Refusal {
  /** In the words of the member. */
  readonly message: string;
  /** By a rule of the member. */
  readonly isDenied: boolean;
}

/** What the member would refuse, sorted. Nothing is changed. */
export async function findRefusals(
  member: Member,
  objects: readonly KubeObject[],
  { release, snapshot, cluster, spec }: StepContext,
  signal: AbortSignal,
): Promise<Refusal[]> {
  const refusals: DeliveryError[] = [];
  const made = objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
    .map(({ metadata }) => metadata.name ?? '');
  const coming = snapshot.infrastructure.spec['createNamespace'] === true ? [...made, release.namespace] : made;
  try {
    await applyObjects(member, objects, {
      owner: { work: `${cluster.id}/${workNameOf(release)}` },
      manner: spec.apply,
      takeOwnership: true,
      dryRun: true,
      comingNamespaces: new Set(coming),
      onRefused: refusal => refusals.push(refusal),
      signal,
    });
  } catch (error) {
    // A kind that the member does not have at all.
    if (!(error instanceof DeliveryError) || error.reason === workReasons.clusterUnreachable) throw error;
    refusals.push(error);
  }
  return refusals
    .map(refusal => ({ message: errorText(refusal), isDenied: refusal.reason === workReasons.policyDenied }))
    .toSorted((a, b) => (a.message < b.message ? -1 : 1));
}
