import type { KindRef } from '../../api/define-kind.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';

/** The part of an event of a member that is read. */
export interface MemberEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly apiVersion?: string; readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string } | null;
}

/** Of the core group: only there all servers select by type. */
export const MemberEvent: KindRef<MemberEvent> = { group: '', version: 'v1', kind: 'Event', resource: 'events', scope: 'Namespaced' };

/** What an event of a member says about what was delivered. */
export interface Mirrored {
  readonly reason: string;
  readonly note: string;
  /** The delivered object that it is about, and why: said once. */
  readonly about: string;
}

const longestNote = 500;
const generated = '[a-z0-9]';
/** How the pods and replica sets of a workload are called. */
const offspring: Readonly<Record<string, string>> = {
  Deployment: `${generated}{5,10}(?:-${generated}{5})?`,
  ReplicaSet: `${generated}{5}`,
  DaemonSet: `${generated}{5}`,
  StatefulSet: '[0-9]+',
  Job: `${generated}{5}`,
  CronJob: `[0-9]+(?:-${generated}{5})?`,
};
const offspringKinds = ['Pod', 'ReplicaSet', 'Job'];

/** Undefined when it is about something else, or older than what was delivered. */
export function mirrored(event: MemberEvent, refs: readonly ObjectRef[], sinceMs: number): Mirrored | undefined {
  const { type, reason = '', message = '', involvedObject = {} } = event;
  if (type !== 'Warning' || seenAtMs(event) < sinceMs) return undefined;
  const ref = refs.find(one => isAbout(involvedObject, one));
  if (!ref) return undefined;
  const { kind = '', namespace, name = '' } = involvedObject;
  const words = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${message}`
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return {
    reason: /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(reason) ? reason : 'MemberWarning',
    note: words.length > longestNote ? `${words.slice(0, longestNote)}…` : words,
    about: `${ref.kind} ${ref.name} ${reason.slice(0, 64)}`,
  };
}

function seenAtMs({ series, lastTimestamp, eventTime, metadata }: MemberEvent): number {
  const at = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
  return Number.isNaN(at) ? Infinity : at;
}

function isAbout(
  { apiVersion = '', kind = '', namespace = '', name = '' }: NonNullable<MemberEvent['involvedObject']>,
  ref: ObjectRef,
): boolean {
  if (namespace !== (ref.namespace ?? '')) return false;
  if (kind === ref.kind && name === ref.name) return parseApiVersion(apiVersion).group === ref.group;
  const suffix = offspring[ref.kind];
  if (suffix === undefined || !offspringKinds.includes(kind) || !name.startsWith(`${ref.name}-`)) return false;
  return new RegExp(`^${suffix}$`).test(name.slice(ref.name.length + 1));
}
