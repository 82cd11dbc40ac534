import { forbidden, invalid, notSupported, type FieldError } from '../../api/field-error.ts';
import { badRequest, expired, invalidObject, plainError, timeout, type StatusError } from '../../api/status.ts';
import { listKey, type Entry } from '../../store/entry.ts';
import type { Store } from '../../store/store.ts';
import type { Resource } from '../resource.ts';
import { decodeContinue, encodeContinue, type ContinueToken } from './continue-token.ts';
import { parseGoInteger } from './go-integer.ts';
import type { Selection } from './selection.ts';

export interface ListOptions {
  readonly limit: number;
  readonly continueToken: string;
  /** '' when absent. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface Page {
  readonly entries: Entry[];
  readonly revision: number;
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

/** How long a read waits for a revision that this server has not reached yet. */
const futureRevisionWaitMs = 3000;

export function parseListOptions(query: URLSearchParams): ListOptions {
  const limit = parseGoInteger(query.get('limit') ?? '', 'ParseInt');
  if (typeof limit === 'string') throw badRequest(limit);
  const timeoutSeconds = parseGoInteger(query.get('timeoutSeconds') ?? '', 'ParseInt');
  if (typeof timeoutSeconds === 'string') throw badRequest(timeoutSeconds);
  const options = {
    limit: Math.max(0, limit),
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
  checkListOptions(options, query.has('sendInitialEvents'));
  return options;
}

function checkListOptions(
  { resourceVersion: rv, resourceVersionMatch: match, continueToken }: ListOptions,
  sendsInitialEvents: boolean,
): void {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (rv === '') errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (continueToken !== '') errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && rv === '0') {
      errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendsInitialEvents) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

/** Waits until the store has reached a revision, as long as the real server would. */
export async function waitForRevision(store: Store, revision: number): Promise<void> {
  if (revision <= store.revision) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  using subscription = store.subscribe(() => {
    if (store.revision >= revision) resolve();
  });
  const timer = setTimeout(resolve, futureRevisionWaitMs);
  await promise;
  clearTimeout(timer);
  subscription[Symbol.dispose]();
  if (revision > store.revision) throw tooLargeRevision(revision, store.revision);
}

function tooLargeRevision(revision: number, current: number) {
  return timeout(`Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Most readers leave the fault of a bad version unclassified. */
export function parseRevision(text: string, refuse: (why: string) => StatusError = plainError): number {
  const revision = parseGoInteger(text, 'ParseUint');
  if (typeof revision === 'number') return revision;
  throw refuse(`resourceVersion: ${invalid('', text, revision).message}`);
}

/** One page of a collection, at one revision. */
export async function listPage(store: Store, resource: Resource, selection: Selection, options: ListOptions): Promise<Page> {
  if (options.continueToken !== '') return continuePage(store, resource, selection, options);
  const wanted = parseRevision(options.resourceVersion, why => badRequest(`invalid resource version: ${why}`));
  await waitForRevision(store, wanted);
  const isExact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && wanted > 0 && options.limit > 0);
  if (isExact && wanted > 0 && wanted < store.revision) {
    const page = pageAt(store, resource, selection, { revision: wanted, start: '' }, options.limit);
    if (!page) throw expired('The resourceVersion for the provided list is too old.');
    return page;
  }
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  return pageAt(store, resource, selection, { revision: store.revision, start: '' }, limit)!;
}

function continuePage(store: Store, resource: Resource, selection: Selection, options: ListOptions): Page {
  const token = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (token.revision === -1) return pageAt(store, resource, selection, { ...token, revision: store.revision }, options.limit)!;
  const page = pageAt(store, resource, selection, token, options.limit);
  if (page) return page;
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    encodeContinue({ revision: -1, start: token.start }),
  );
}

function pageAt(
  store: Store,
  resource: Resource,
  selection: Selection,
  { revision, start }: ContinueToken,
  limit: number,
): Page | undefined {
  const walk = revision >= store.revision ? currentWalk(store, resource, selection) : pastWalk(store, resource, selection, revision);
  if (!walk) return undefined;
  const entries: Entry[] = [];
  let last = '';
  let hasMore = false;
  let remaining = 0;
  walk(start, entry => {
    if (selection.matches && !selection.matches(entry)) return true;
    if (limit > 0 && entries.length === limit) {
      hasMore = true;
      if (selection.hasSelector) return false;
      remaining++;
      return true;
    }
    entries.push(entry);
    last = listKey(entry.namespace, entry.name);
    return true;
  });
  return {
    entries,
    revision,
    continueToken: hasMore ? encodeContinue({ revision, start: `${last}\0` }) : '',
    remaining: hasMore && !selection.hasSelector ? remaining : undefined,
  };
}

type Walk = (start: string, visit: (entry: Entry) => boolean) => void;

function currentWalk(store: Store, resource: Resource, selection: Selection): Walk {
  return (start, visit) => {
    if (selection.name !== undefined && start === '') {
      const entry = store.get({ resource: resource.storeKey, namespace: selection.namespace, name: selection.name });
      if (entry) visit(entry);
      if (entry || selection.namespace !== '' || !resource.namespaced) return;
    }
    store.forEach(resource.storeKey, selection.namespace, start, visit);
  };
}

/** Walks a collection as it was: the present with the changes since then undone. */
function pastWalk(store: Store, resource: Resource, selection: Selection, revision: number): Walk | undefined {
  const keyOf = (entry: Entry) => listKey(entry.namespace, entry.name);
  const then = store.history.stateAt(resource.storeKey, revision, keyOf);
  if (!then) return undefined;
  const prefix = selection.namespace === '' ? '' : `${selection.namespace}/`;
  const revived = [...then].filter(([key, entry]) => entry !== undefined && key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  return (start, visit) => {
    let i = 0;
    while (i < revived.length && revived[i]![0] < start) i++;
    let isStopped = false;
    const visitRevivedBefore = (key: string | undefined) => {
      for (; !isStopped && i < revived.length && (key === undefined || revived[i]![0] < key); i++) isStopped = !visit(revived[i]![1]!);
    };
    store.forEach(resource.storeKey, selection.namespace, start, entry => {
      const key = keyOf(entry);
      visitRevivedBefore(key);
      if (!isStopped && !then.has(key)) isStopped = !visit(entry);
      return !isStopped;
    });
    visitRevivedBefore(undefined);
  };
}
