import type { KubeObject } from '../../../api/object.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { printGroups } from '../freezes/starter-groups.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const { triggeredBy, triggeredByGroups, requestedAt, stateChangedBy } = deliveryAnnotations;
const stateOf = (obj: KubeObject | undefined): unknown => (obj?.['spec'] as { state?: unknown } | undefined)?.state ?? 'Run';

let lastMicros = 0;

/** Later than all that this process has told before: of two runs it is known which came first. */
function nextMoment(now: Date): string {
  lastMicros = Math.max(lastMicros + 1, now.getTime() * 1000);
  const micros = String(lastMicros % 1000).padStart(3, '0');
  return new Date(Math.floor(lastMicros / 1000)).toISOString().replace('Z', `${micros}Z`);
}

/** Writes down who asked for a run and when, and who last changed its state, whatever they say of themselves. */
export async function stampRun(
  { operation, object, oldObject, user }: AdmissionRequest,
  { callerName, now }: DeliveryWorld,
): Promise<AdmissionAnswer> {
  const { annotations = {} } = object!.metadata;
  const before = oldObject?.metadata.annotations ?? {};
  const isNew = operation === 'CREATE';
  const wanted = {
    [triggeredBy]: isNew ? callerName : before[triggeredBy],
    [requestedAt]: isNew ? nextMoment(now) : before[requestedAt],
    [triggeredByGroups]: isNew ? printGroups(user.groups) : before[triggeredByGroups],
    [stateChangedBy]: !isNew && stateOf(object) !== stateOf(oldObject) ? callerName : before[stateChangedBy],
  };
  const rest = Object.entries(annotations).filter(([key]) => !(key in wanted));
  const value = {
    ...Object.fromEntries(rest),
    ...Object.fromEntries(Object.entries(wanted).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]]))),
  };
  const isSame = Object.entries(wanted).every(([key, one]) => annotations[key] === one);
  const patch = [
    ...(isSame ? [] : [{ op: 'add' as const, path: '/metadata/annotations', value }]),
    ...(isNew ? workflowLabel(object!) : []),
  ];
  return patch.length === 0 ? {} : { patch };
}

/** Runs are found by their workflow. */
function workflowLabel({ metadata: { labels = {} }, ...rest }: KubeObject) {
  const name = (rest['spec'] as { workflowRef?: { name?: string } } | undefined)?.workflowRef?.name
    ?.slice(0, 63)
    .replace(/[^a-zA-Z0-9]+$/, '');
  if (name === undefined || name === '' || labels[deliveryLabels.workflow] === name) return [];
  return [{ op: 'add' as const, path: '/metadata/labels', value: { ...labels, [deliveryLabels.workflow]: name } }];
}
