import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { Entry, encodeObject } from '../../store/entry.ts';
import type { StoreEvent } from '../../store/history.ts';
import { printJson } from '../../util/json.ts';
import { isPlain, objectOf, oneObject, type Form } from '../representation.ts';
import type { Resource } from '../resource.ts';
import { zeroOfStruct } from '../schema/shape.ts';
import type { Selection } from '../verbs/selection.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What a change means to somebody who sees only a selection: objects may enter and leave it. */
export interface SeenEvent {
  readonly type: EventType;
  readonly entry: Entry;
}

export function seenThrough(event: StoreEvent, selection: Selection): SeenEvent | undefined {
  if (selection.namespace !== '' && event.entry.namespace !== selection.namespace) return undefined;
  const { matches } = selection;
  if (!matches) return event;
  const isIn = event.type !== 'DELETED' && matches(event.entry);
  const wasIn = event.previous !== undefined && matches(event.previous);
  if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', entry: event.entry };
  if (!wasIn) return undefined;
  return { type: 'DELETED', entry: event.type === 'DELETED' ? event.entry : leavingEntry(event) };
}

const leaving = new WeakMap<StoreEvent, Entry>();

/** An object that left a selection is shown as it was inside it, under the version of the change. */
function leavingEntry(event: StoreEvent): Entry {
  let entry = leaving.get(event);
  if (!entry) {
    const { entry: next, previous } = event;
    const old = previous!.obj;
    const obj: KubeObject = { ...old, metadata: { ...old.metadata, resourceVersion: String(next.revision) } };
    leaving.set(event, (entry = new Entry(next, next.revision, encodeObject(obj), obj)));
  }
  return entry;
}

export const eventHeads: Record<EventType, Buffer> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
export const eventTail = Buffer.from('}\n');

export function eventLine(resource: Resource, { type, entry }: SeenEvent, form: Form, now: Date): Buffer | Promise<Buffer> {
  if (form.as === 'object' && isPlain(resource, entry)) return Buffer.concat([eventHeads[type], entry.bytes, eventTail]);
  const obj = objectOf(resource, entry);
  return obj instanceof Promise ? obj.then(o => formLine(resource, type, o, form, now)) : formLine(resource, type, obj, form, now);
}

function formLine(resource: Resource, type: EventType, obj: KubeObject, form: Form, now: Date): Buffer {
  return Buffer.from(`{"type":"${type}","object":${printJson(oneObject(resource, obj, form, now))}}\n`);
}

/** A bookmark is an object of the kind that has nothing but a version. */
export function bookmarkLine(resource: Resource, revision: number, form: Form, endsInitialEvents: boolean): Buffer {
  const { goType } = resource.codec;
  const obj: KubeObject = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    ...(goType && zeroOfStruct(goType)),
    metadata: {
      resourceVersion: String(revision),
      ...(endsInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    },
  };
  return Buffer.from(`{"type":"BOOKMARK","object":${printJson(oneObject(resource, obj, form, new Date()))}}\n`);
}
