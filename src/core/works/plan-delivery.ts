import type { KubeObject } from '../../api/object.ts';
import type { ApplyManner, PlannedObject } from '../../api/work.ts';
import { jsonEqual } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { plannedFields } from '../delivery/changed-fields.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import type { Owner } from '../delivery/owner.ts';

export interface Planned {
  readonly objects: readonly KubeObject[];
  /** What an earlier delivery put there. */
  readonly present: readonly ObjectRef[];
  readonly owner: Owner;
  readonly manner?: ApplyManner | undefined;
}

const concurrency = 8;

/** What a delivery would do to each object, asked of the member itself: it changes nothing. */
export async function planDelivery(member: Member, { objects, present, ...whose }: Planned, signal: AbortSignal): Promise<PlannedObject[]> {
  const planned = await mapBounded(objects, concurrency, obj => planObject(member, obj, whose, signal));
  const wanted = new Set(objects.map(obj => refKey(refOf(obj))));
  const gone = present.filter(ref => !wanted.has(refKey(ref))).map((ref): PlannedObject => ({ ...ref, action: 'Delete' }));
  return withFewFields([...planned, ...gone]);
}

/** A Work's status is no place for everything that could be said. */
const mostFields = 50;

function withFewFields(planned: readonly PlannedObject[]): PlannedObject[] {
  let room = mostFields;
  return planned.map(({ fields, ...one }) => {
    const shown = fields?.slice(0, room) ?? [];
    room -= shown.length;
    return shown.length > 0 ? { ...one, fields: shown } : one;
  });
}

type Whose = Pick<Planned, 'owner' | 'manner'>;

async function planObject(member: Member, obj: KubeObject, whose: Whose, signal: AbortSignal): Promise<PlannedObject> {
  const ref = refOf(obj);
  const kind = await member.kinds.find(ref, signal);
  // Its definition may be part of the same delivery.
  const live = kind && (await member.client.get(kind, ref, { signal }));
  if (!live) return { ...ref, action: 'Create' };
  const [next] = await applyObjects(member, [obj], { ...whose, takeOwnership: true, dryRun: true, signal });
  if (jsonEqual(substance(live), substance(next!))) return { ...ref, action: 'Keep' };
  return { ...ref, action: 'Change', fields: plannedFields(live, next!) };
}

/** What people mean by the object: not what the server notes about writes. */
function substance({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _managedFields, resourceVersion: _resourceVersion, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
