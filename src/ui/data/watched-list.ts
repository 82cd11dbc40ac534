import { ApiError, request } from './request.ts';
import { hubRefuses, isHidden, seesHub } from './hub-sight.ts';
import { kinds, pathOf, resourceOf, type Kind, type KubeObject } from './kinds.ts';
import { isForbidden } from './permissions.ts';
import { openStream } from './streams.ts';
import { visibleClusters } from './visible-clusters.ts';

/** What to list and to keep up to date. */
export interface Wanted {
  /** The hub when absent. */
  readonly cluster?: string | undefined;
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Whether the server prints the objects as columns: `cells` of each, and its metadata alone. */
  readonly isTable?: boolean;
}

export type ListState =
  /** The first answer is not here yet, or not all of it. */
  | 'loading'
  /** Changes are heard. */
  | 'live'
  /** What is shown is what was last heard. */
  | 'stale'
  /** Nothing was ever heard. */
  | 'failed';

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** 0 for those that are always shown. */
  readonly priority: number;
}

/** An object as the server prints it. */
export interface PrintedObject extends KubeObject {
  readonly cells: readonly (string | number | boolean | null)[];
}

export interface Listed<T = KubeObject> {
  readonly items: readonly T[];
  readonly state: ListState;
  /** Why it is stale or failed. */
  readonly error: ApiError | undefined;
  /** When it was last known to be true. */
  readonly asOf: number;
  /** Of what the server printed. */
  readonly columns: readonly TableColumn[];
  /** How many objects there are that were not loaded: more than a tab should hold. */
  readonly left: number;
}

/** Before anything was heard. */
export const nothingListed: Listed = { items: [], state: 'loading', error: undefined, asOf: 0, columns: [], left: 0 };

export interface WatchedList {
  get(): Listed;
  subscribe(listener: () => void): () => void;
}

interface TableAnswer {
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly { readonly cells: PrintedObject['cells']; readonly object: KubeObject }[] | null;
}

interface ListAnswer extends TableAnswer {
  readonly items?: KubeObject[] | null;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
}

interface WatchLine {
  readonly type: string;
  readonly object: KubeObject & { code?: number; message?: string };
}

/** Small at first, so that something is seen soon. */
const firstPageSize = 500;
const pageSize = 2500;
/** About 90 MB of a tab. What is beyond is not loaded, and said to be missing. */
const mostObjects = 100_000;
const firstDelayMs = 1000;
const maxDelayMs = 30_000;
const tellMs = 100;
/** Going back to a screen finds what was there. */
const lingerMs = 60_000;
const jsonAccept = 'application/json';
const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const lists = new Map<string, WatchedList>();

/** The same list for all who want the same. It is watched while somebody listens, and a little longer. */
export function watchedList(wanted: Wanted): WatchedList {
  const key = keyOf(wanted);
  let list = lists.get(key);
  if (!list) lists.set(key, (list = isHidden(wanted.cluster) ? listWithoutHub(wanted) : newList(wanted, forget)));
  return list;

  /** Whoever kept it may have begun anew meanwhile, and others with another one. */
  function forget(): void {
    if (lists.get(key) === list) lists.delete(key);
  }
}

/** The same list where somebody wants it already; nothing is asked for. */
export const knownList = (wanted: Wanted): WatchedList | undefined => lists.get(keyOf(wanted));

/** For those who have no way to the hub's API: the clusters that are theirs, and of other kinds nothing. */
function listWithoutHub({ kind, fieldSelector }: Wanted): WatchedList {
  if (kind.plural === kinds.cluster.plural && kind.group === kinds.cluster.group)
    return visibleClusters(({ metadata }) => fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name ?? ''}`);
  const refused: Listed = { ...nothingListed, state: 'failed', error: hubRefuses(kind.plural) };
  return { get: () => refused, subscribe: () => () => {} };
}

export const keyOf = ({ cluster, kind, namespace, labelSelector, fieldSelector, isTable = false }: Wanted): string =>
  [cluster, kind.group, kind.version, kind.plural, namespace, labelSelector, fieldSelector, isTable].join(' ');

/** Forgets everything: somebody else may sign in. */
export function forgetLists(): void {
  lists.clear();
}

function newList(wanted: Wanted, forget: () => void): WatchedList {
  const path = pathOf(wanted.kind, { cluster: wanted.cluster, namespace: wanted.namespace });
  const objects = new Map<string, KubeObject>();
  const listeners = new Set<() => void>();
  const accept = wanted.isTable ? tableAccept : jsonAccept;
  let shown = nothingListed;
  let columns: readonly TableColumn[] = [];
  let left = 0;
  let running: AbortController | undefined;
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;
  let isChanged = false;

  return {
    get: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      clearTimeout(lingering);
      if (!running) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) lingering = setTimeout(stop, lingerMs);
      };
    },
  };

  function start(): void {
    running = new AbortController();
    void run(running.signal);
  }

  function stop(): void {
    running?.abort();
    running = undefined;
    clearTimeout(telling);
    telling = undefined;
    // Whoever looks again sees what was there, as old, until it is asked for.
    if (shown.state === 'live') shown = { ...shown, state: 'stale' };
    forget();
  }

  async function run(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    for (let failures = 0; !signal.aborted;) {
      try {
        version ??= await fetchAll(signal);
        failures = 0;
        version = await follow(version, signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        const apiError = error instanceof ApiError ? error : new ApiError(0, String(error));
        if (apiError.code === 410) version = undefined;
        else {
          tell({ state: shown.asOf === 0 ? 'failed' : 'stale', error: apiError });
          await sleep(Math.min(firstDelayMs * 2 ** failures++, maxDelayMs), signal);
          // What the server refuses or has forgotten is asked for anew.
          if (apiError.code >= 400) version = undefined;
        }
      }
    }
  }

  async function fetchAll(signal: AbortSignal): Promise<string> {
    await stopIfRefused();
    const found = new Map<string, KubeObject>();
    let page: ListAnswer | undefined;
    do {
      const query = selection();
      query.set('limit', String(page ? pageSize : firstPageSize));
      if (page?.metadata.continue) query.set('continue', page.metadata.continue);
      page = await request<ListAnswer>(`${path}?${query.toString()}`, { signal, accept });
      if (page.columnDefinitions?.length) columns = page.columnDefinitions;
      for (const item of page.items ?? printed(page)) found.set(objectKey(item), kept(item, wanted.kind));
      // Those who wait for the first time see what is there already.
      if (shown.asOf === 0 && page.metadata.continue) {
        for (const [key, item] of found) objects.set(key, item);
        isChanged = true;
        tell({});
      }
    } while (page.metadata.continue && found.size < mostObjects);
    left = page.metadata.continue ? (page.metadata.remainingItemCount ?? 1) : 0;
    objects.clear();
    for (const [key, item] of found) objects.set(key, item);
    isChanged = true;
    tell({ state: 'live', error: undefined });
    return page.metadata.resourceVersion ?? '';
  }

  /** Who is no administrator is told so by asking first: a request that is refused is a complaint in the browser's console. */
  async function stopIfRefused(): Promise<void> {
    const { kind, cluster, namespace } = wanted;
    if (seesHub() || !(await isForbidden({ verb: 'list', kind, cluster, namespace }))) return;
    const where = [namespace && `in namespace ${namespace}`, `on ${cluster ?? 'the hub'}`].filter(Boolean).join(' ');
    throw new ApiError(403, `You may not list ${resourceOf(kind)} ${where}`);
  }

  /** Answers from which version to go on. Throws when the watch was refused or has failed. */
  function follow(from: string, signal: AbortSignal, onLife: () => void): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const query = selection();
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('resourceVersion', from);
    let version = from;
    let rest = '';
    const close = openStream(
      `${path}?${query.toString()}`,
      {
        onOpen() {
          onLife();
          tell({ state: 'live', error: undefined });
        },
        onText(text) {
          const lines = (rest + text).split('\n');
          rest = lines.pop()!;
          for (const line of lines) if (line !== '') take(JSON.parse(line) as WatchLine);
        },
        onEnd(error) {
          if (error) reject(error);
          else {
            tell({ state: 'stale' });
            resolve(version);
          }
        },
      },
      accept,
    );
    signal.addEventListener('abort', () => (close(), resolve(version)), { once: true });
    return promise;

    function take({ type, object }: WatchLine): void {
      if (type === 'ERROR') {
        close();
        return reject(new ApiError(object.code ?? 500, object.message ?? 'the watch has ended'));
      }
      const changed = wanted.isTable ? printed(object as TableAnswer) : [object];
      version = changed[0]?.metadata.resourceVersion ?? object.metadata.resourceVersion ?? version;
      if (type === 'BOOKMARK') return;
      isChanged = true;
      for (const one of changed) {
        const key = objectKey(one);
        // Of a list that was cut, what was left out stays out.
        if (left > 0 && objects.size >= mostObjects && !objects.has(key)) continue;
        if (type === 'DELETED') objects.delete(key);
        else objects.set(key, kept(one, wanted.kind));
      }
      tell({ state: 'live' });
    }
  }

  function selection(): URLSearchParams {
    const query = new URLSearchParams();
    if (wanted.labelSelector) query.set('labelSelector', wanted.labelSelector);
    if (wanted.fieldSelector) query.set('fieldSelector', wanted.fieldSelector);
    return query;
  }

  /** Listeners hear at most ten times a second, whatever happens; of long lists less often. */
  function tell(next: Partial<Pick<Listed, 'state' | 'error'>>): void {
    const state = next.state ?? shown.state;
    const isSettled = state === 'live';
    const error = 'error' in next ? next.error : state === 'live' ? undefined : shown.error;
    const isSame = !isChanged && state === shown.state && error === shown.error;
    shown = { items: shown.items, state, error, asOf: isSettled ? Date.now() : shown.asOf, columns, left };
    if (isSame) return;
    telling ??= setTimeout(
      () => {
        telling = undefined;
        if (isChanged) shown = { ...shown, items: [...objects.values()] };
        else shown = { ...shown };
        isChanged = false;
        for (const listener of listeners) listener();
      },
      // The more there is to draw, the less often it is drawn.
      shown.items.length === 0 ? 0 : tellMs + objects.size / 100,
    );
  }
}

function printed({ rows }: TableAnswer): PrintedObject[] {
  return (rows ?? []).map(({ cells, object }) => ({ ...object, cells }));
}

const objectKey = ({ metadata }: KubeObject): string => metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** Nobody looks at these in a list, and they are most of what an object weighs. */
function kept(obj: KubeObject, { group, version, kind }: Kind): KubeObject {
  delete obj.metadata.managedFields;
  const status = obj['status'] as { apiResources?: unknown } | undefined;
  if (status?.apiResources) delete status.apiResources;
  // Lists leave out what all their items have in common; metadata alone calls itself by another kind.
  if (obj['cells'] !== undefined) return obj;
  return Object.assign({ apiVersion: group === '' ? version : `${group}/${version}`, kind }, obj);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
