import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { byteLength, isDns1123Subdomain, isQualifiedName } from '../../../api/names.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { WriteContext } from '../../resource.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor } from '../kind-parts.ts';
import { toCoreEvent, type CoreEvent } from './event-conversion.ts';

const isNewApi = (ctx: WriteContext) => ctx.resource.group === 'events.k8s.io';

function validateAlways(event: CoreEvent, ctx: WriteContext): FieldError[] {
  const errors: FieldError[] = [];
  const namespace = event.metadata.namespace ?? '';
  const about = event.involvedObject?.namespace ?? '';
  const mismatch = () => errors.push(invalid('involvedObject.namespace', about, 'does not match event.namespace'));
  if (!event.eventTime) {
    if (about === '' ? namespace !== '' && namespace !== 'default' : namespace !== about) mismatch();
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
    errors.push(...validateReport(event, isNewApi(ctx) ? 'reportingController' : 'reportingComponent'));
  }
  return [...errors, ...invalidFor('namespace', namespace, isDns1123Subdomain(namespace))];
}

function validateReport(event: CoreEvent, controllerField: string): FieldError[] {
  const errors: FieldError[] = [];
  const controller = event.reportingComponent ?? '';
  if (controller === '') errors.push(required(controllerField));
  errors.push(...invalidFor(controllerField, controller, isQualifiedName(controller)));
  for (const [field, limit, isRequired] of [
    ['reportingInstance', 128, true],
    ['action', 128, true],
    ['reason', 128, true],
    ['message', 1024, false],
  ] as const) {
    const value = event[field] ?? '';
    if (isRequired && value === '') errors.push(required(field));
    if (byteLength(value) > limit) errors.push(invalid(field, '', `can have at most ${limit} characters`));
  }
  return errors;
}

function validateSeries({ series }: CoreEvent): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
  return errors;
}

// Rules that only clients of events.k8s.io must follow.
function validateNewEvent(event: CoreEvent): FieldError[] {
  const errors = validateSeries(event);
  const unset = (field: string) => errors.push(invalid(field, '', 'needs to be unset'));
  if (!event.eventTime) errors.push(required('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`));
  if (event.firstTimestamp) unset('firstTimestamp');
  if (event.lastTimestamp) unset('lastTimestamp');
  if (event.count) unset('count');
  if (event.source?.component || event.source?.host) unset('source');
  return errors;
}

const fixedFields = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const;

const sourceOf = (event: CoreEvent) => event.source?.component || event.reportingComponent || '';
const reads = (prefix: string, controller: string): NonNullable<BuiltinKind['selectableFields']> => ({
  ...Object.fromEntries(
    (['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const).map(field => [
      at.child(prefix, field),
      (obj: KubeObject) => toCoreEvent(obj).involvedObject?.[field] ?? '',
    ]),
  ),
  reason: obj => toCoreEvent(obj).reason ?? '',
  [controller]: obj => toCoreEvent(obj).reportingComponent ?? '',
  type: obj => toCoreEvent(obj).type ?? '',
});

const strategy: BuiltinKind['strategy'] = {
  defaultDeletePolicy: 'Unsupported',
  allowCreateOnUpdate: true,
  validate(obj, ctx) {
    const event = toCoreEvent(obj);
    return isNewApi(ctx) ? [...validateAlways(event, ctx), ...validateNewEvent(event)] : validateAlways(event, ctx);
  },
  validateUpdate(obj, old, ctx) {
    const next = toCoreEvent(obj);
    const errors = validateAlways(next, ctx);
    if (!isNewApi(ctx)) return errors;
    const last = toCoreEvent(old);
    if (!jsonEqual(next.series, last.series)) errors.push(...validateSeries(next));
    for (const [field, name] of fixedFields) errors.push(...validateImmutableField(next[field], last[field], name));
    return errors;
  },
};

/** core/v1 Event. Its names follow no rule but that of URLs. */
export const coreEventKind: BuiltinKind = {
  strategy: { ...strategy, nameRule: 'path' },
  selectableFields: { ...reads('involvedObject', 'reportingComponent'), source: obj => sourceOf(toCoreEvent(obj)) },
};

/** events.k8s.io/v1 Event: the same store in another shape. */
export const eventKind: BuiltinKind = { strategy, selectableFields: reads('regarding', 'reportingController') };
