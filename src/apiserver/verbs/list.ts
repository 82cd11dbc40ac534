import { forbidden, invalid, notSupported, type FieldError } from '../../api/field-error.ts';
import { badRequest, expired, invalidObject, timeout } from '../../api/status.ts';
import { listKey, type Entry } from '../../store/entry.ts';
import type { Store } from '../../store/store.ts';
import type { Resource } from '../resource.ts';
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

const wholeNumber = /^[0-9]+$/;
/** How long a read waits for a revision that this server has not reached yet. */
export const futureRevisionWaitMs = 3000;

export function parseListOptions(query: URLSearchParams): ListOptions {
  const limitText = query.get('limit') ?? '';
  if (limitText !== '' && !/^[+-]?[0-9]+$/.test(limitText)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limitText)}: invalid syntax`);
  }
  const options = {
    limit: Math.max(0, Number(limitText)),
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

export function parseRevision(text: string): number {
  if (text === '') return 0;
  if (!wholeNumber.test(text)) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [
      invalid('resourceVersion', text, `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`),
    ]);
  }
  return Number(text);
}

interface ContinueToken {
  revision: number;
  start: string;
}

/** One page of a collection, at one revision. */
export async function listPage(store: Store, resource: Resource, selection: Selection, options: ListOptions): Promise<Page> {
  if (options.continueToken !== '') return continuePage(store, resource, selection, options);
  const wanted = parseRevision(options.resourceVersion);
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
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const token = decodeContinue(options.continueToken);
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

function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

function decodeContinue(token: string): ContinueToken {
  const invalidToken = (why: string) => badRequest(`continue key is not valid: ${why}`);
  let value: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    if (!/^[A-Za-z0-9_-]*$/.test(token)) throw new Error('encoding');
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as typeof value;
  } catch {
    throw invalidToken('illegal base64 data or not a token of this server');
  }
  if (value?.v !== 'meta.k8s.io/v1') throw invalidToken(`server does not recognize this encoded version "${String(value?.v ?? '')}"`);
  if (!Number.isSafeInteger(value.rv) || (value.rv as number) < -1 || value.rv === 0)
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof value.start !== 'string' || value.start === '' || value.start.startsWith('/') || value.start.split('/').includes('..')) {
    throw invalidToken(value.start === '' ? 'encoded start key empty (version meta.k8s.io/v1)' : String(value.start));
  }
  return { revision: value.rv as number, start: value.start };
}
