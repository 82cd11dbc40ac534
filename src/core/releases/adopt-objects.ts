import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager } from '../../api/work.ts';
import type { Json } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { explainRefusal } from '../delivery/explain-refusal.ts';
import type { Member } from '../delivery/member.ts';
import { refOf } from '../delivery/object-ref.ts';
import { takeOverFields } from './take-over-fields.ts';

const concurrency = 16;
const attempts = 5;

/** Makes what Helm wrote of these objects ours, before we apply them for the first time. Objects that are not there are left out. */
export async function adoptObjects(member: Member, objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  await mapBounded(objects, concurrency, async obj => {
    try {
      await adoptObject(member, obj, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw explainRefusal('apply', refOf(obj), error);
    }
  });
}

async function adoptObject({ client, kinds }: Member, obj: KubeObject, signal: AbortSignal): Promise<void> {
  const kind = await kinds.find(refOf(obj), signal);
  if (!kind) return;
  const { namespace, name = '' } = obj.metadata;
  for (let attempt = 1; ; attempt++) {
    const present = await client.get(kind, { namespace, name }, { signal });
    const { managedFields = [], resourceVersion = '' } = present?.metadata ?? {};
    const ours = takeOverFields(managedFields, deliveryManager);
    if (!ours) return;
    const body: Json = [
      { op: 'replace', path: '/metadata/managedFields', value: ours as never },
      // Somebody else's write in between makes it a conflict.
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ];
    try {
      await client.patch(kind, { namespace, name }, { type: 'json', body }, { fieldManager: deliveryManager, signal });
      return;
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409) || attempt === attempts) throw error;
    }
  }
}
