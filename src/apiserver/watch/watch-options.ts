import { forbidden, notSupported, type FieldError } from '../../api/field-error.ts';
import { badRequest, invalidObject } from '../../api/status.ts';
import { parseGoInteger } from '../verbs/go-integer.ts';
import { parseRevision } from '../verbs/list.ts';

export interface WatchOptions {
  /** Undefined: start with the present state. */
  readonly sinceRevision: number | undefined;
  /** The state is sent first and its end is marked by a bookmark. */
  readonly sendInitialEvents: boolean;
  readonly allowBookmarks: boolean;
  readonly timeoutMs: number;
  /** For `sendInitialEvents` with a version: the state must be at least this new. */
  readonly atLeastRevision: number;
}

/** Streams without a limit end after half an hour to an hour, so that their load spreads over replicas and time. */
const minTimeoutMs = 30 * 60_000;

export function isTrue(text: string | null): boolean {
  return text !== null && text !== '' && text !== 'false' && text !== '0';
}

export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const resourceVersion = query.get('resourceVersion') ?? '';
  const givenMatch = query.get('resourceVersionMatch') ?? '';
  // A watch without a version starts with the present state, as if it had asked for it.
  const isPlain = !query.has('sendInitialEvents') && givenMatch === '' && (resourceVersion === '' || resourceVersion === '0');
  const match = isPlain ? 'NotOlderThan' : givenMatch;
  const asksInitial = isPlain || query.has('sendInitialEvents');
  const sendInitialEvents = isPlain || isTrue(query.get('sendInitialEvents'));
  const errors: FieldError[] = [];
  if (asksInitial && match !== 'NotOlderThan')
    errors.push(forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match !== '') {
    if (!asksInitial)
      errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
    if ((query.get('continue') ?? '') !== '')
      errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);

  const seconds = parseGoInteger(query.get('timeoutSeconds') ?? '', 'ParseInt');
  if (typeof seconds === 'string') throw badRequest(seconds);
  const revision = parseRevision(resourceVersion);
  const startsNow = asksInitial && !sendInitialEvents && revision === 0;
  return {
    sinceRevision: sendInitialEvents || (revision === 0 && !startsNow) ? undefined : startsNow ? Infinity : revision,
    sendInitialEvents,
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: seconds > 0 ? seconds * 1000 : minTimeoutMs + Math.random() * minTimeoutMs,
    atLeastRevision: sendInitialEvents ? revision : 0,
  };
}
