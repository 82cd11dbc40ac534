import type { KubeObject } from '../../api/object.ts';
import { workReasons, type Work } from '../../api/work.ts';
import { keyOf } from '../../runtime/key.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import { parseManifests, placeObjects } from '../delivery/read-manifests.ts';
import type { DeliveryDesk } from './delivery-desk.ts';

/** The objects that a Work without a chart wants on the member. */
export async function renderPlain(
  desk: Pick<DeliveryDesk, 'readContent'>,
  work: Work,
  member: Pick<Member, 'kinds'>,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const objects = await readObjects(desk, work, signal);
  const { namespace } = work.spec.release;
  return placeObjects(member, objects, { namespace, owner: { work: keyOf(work) }, unknownKinds: 'keep', signal });
}

async function readObjects(desk: Pick<DeliveryDesk, 'readContent'>, { spec }: Work, signal: AbortSignal): Promise<KubeObject[]> {
  if (spec.manifests) return spec.manifests as KubeObject[];
  if (spec.content !== undefined) return parseManifests((await desk.readContent(spec.content, signal)).toString('utf8'));
  throw new DeliveryError(workReasons.renderFailed, 'kustomizations cannot be built yet', { isFinal: true });
}
