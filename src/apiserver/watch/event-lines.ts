import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { Entry, encodeObject } from '../../store/entry.ts';
import type { StoreEvent } from '../../store/history.ts';
import { printJson } from '../../util/json.ts';
import { encodeWatchEvent } from '../protobuf/encode.ts';
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

/** How a watcher sees objects. */
export interface WatchView {
  readonly form: Form;
  readonly encoding: 'json' | 'protobuf';
}

export const isPlainView = ({ form, encoding }: WatchView): boolean => form.as === 'object' && encoding === 'json';

export function eventLine(resource: Resource, { type, entry }: SeenEvent, view: WatchView, now: Date): Buffer | Promise<Buffer> {
  if (isPlainView(view) && isPlain(resource, entry)) return Buffer.concat([eventHeads[type], entry.bytes, eventTail]);
  const obj = objectOf(resource, entry);
  const line = (one: KubeObject) => encodeEvent(type, oneObject(resource, one, view.form, now), view);
  return obj instanceof Promise ? obj.then(line) : line(obj);
}

/** An event of any type with an object that is in its form already. */
export function encodeEvent(type: EventType | 'BOOKMARK' | 'ERROR', obj: object, { encoding }: WatchView): Buffer {
  return encoding === 'protobuf' ? encodeWatchEvent(type, obj) : Buffer.from(`{"type":"${type}","object":${printJson(obj)}}\n`);
}

/** A bookmark is an object of the kind that has nothing but a version. */
export function bookmarkLine(resource: Resource, revision: number, view: WatchView, endsInitialEvents: boolean): Buffer {
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
  return encodeEvent('BOOKMARK', oneObject(resource, obj, view.form, new Date()), view);
}
