import type { KubeObject } from '../../../api/object.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { deliveryAnnotations } from '../names.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const { triggeredBy, stateChangedBy } = deliveryAnnotations;
const stateOf = (obj: KubeObject | undefined): unknown => (obj?.['spec'] as { state?: unknown } | undefined)?.state ?? 'Run';

/** Writes down who asked for a run and who last changed its state, whatever they say of themselves. */
export async function stampRun(
  { operation, object, oldObject }: AdmissionRequest,
  { callerName }: DeliveryWorld,
): Promise<AdmissionAnswer> {
  const { annotations = {} } = object!.metadata;
  const before = oldObject?.metadata.annotations ?? {};
  const isNew = operation === 'CREATE';
  const wanted = {
    [triggeredBy]: isNew ? callerName : before[triggeredBy],
    [stateChangedBy]: !isNew && stateOf(object) !== stateOf(oldObject) ? callerName : before[stateChangedBy],
  };
  const { [triggeredBy]: _, [stateChangedBy]: __, ...rest } = annotations;
  const value = { ...rest, ...Object.fromEntries(Object.entries(wanted).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]]))) };
  const isSame = Object.entries(wanted).every(([key, one]) => annotations[key] === one);
  return isSame ? {} : { patch: [{ op: 'add', path: '/metadata/annotations', value }] };
}
