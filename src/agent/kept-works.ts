import { setTimeout as sleep } from 'node:timers/promises';
import { Work } from '../api/work.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { readContent } from '../core/contents/read-content.ts';
import { digestsOf, workIndexes } from '../core/works/work-indexes.ts';
import { informer, type Informer } from '../runtime/informer.ts';
import { keyOf, type Key } from '../runtime/key.ts';
import { log } from '../runtime/log.ts';
import { ObjectCache } from '../runtime/object-cache.ts';
import { workQueue } from '../runtime/work-queue.ts';
import { digestOf } from '../sources/digest.ts';
import { jsonEqual, parseJson, printJson } from '../util/json.ts';
import type { KeptBlobs } from './kept-blobs.ts';

export interface KeptWorksOptions {
  readonly hub: KubeClient;
  readonly blobs: KeptBlobs;
  /** The namespace of the cluster on the hub. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** How long the hub is waited for before the copy must do. */
  readonly patienceMs?: number;
}

/** The Works of a cluster and their bytes: those of the hub, and while it cannot be asked, those it last told. */
export interface KeptWorks {
  readonly works: Informer<Work>;
  readContent(digest: string, signal: AbortSignal): Promise<Buffer>;
}

export function keptWorks({ hub, blobs, namespace, signal, patienceMs = 3_000 }: KeptWorksOptions): KeptWorks {
  const cache = new ObjectCache<Work>(workIndexes);
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => {});
  let hasSynced = false;
  let isLive = false;
  const live = informer(hub, Work, {
    signal,
    namespace,
    keep: keepOfWork,
    retry: { firstDelayMs: 500, maxDelayMs: 5_000 },
    onError: err => log.debug('cannot follow the Works on the hub', { ns: namespace, err }),
  });
  const saved = new Map<Key, Work>();
  const saving = workQueue({ reconcile: save, signal, firstDelayMs: 1_000, maxDelayMs: 60_000, onError: complain });
  live.synced.then(goLive, () => synced.reject(signal.reason));
  void startFromCopy();

  return {
    works: {
      kind: Work,
      get: key => cache.get(key),
      list: () => cache.list(),
      by: (index, value) => cache.by(index, value),
      subscribe: listener => cache.subscribe(listener),
      synced: synced.promise,
      get hasSynced() {
        return hasSynced;
      },
    },
    async readContent(digest, stop) {
      const kept = await blobs.get('content', digest, stop).catch(() => undefined);
      if (kept && digestOf(kept) === digest) return kept;
      const bytes = await readContent(hub, digest, { signal: stop });
      await blobs.put('content', digest, bytes, stop).catch((err: unknown) => log.warn('content was not kept', { name: digest, err }));
      return bytes;
    },
  };

  function goLive(): void {
    if (signal.aborted) return;
    isLive = true;
    live.subscribe(({ type, object }) => {
      if (type === 'DELETED') cache.remove(keyOf(object), object);
      else cache.put(object);
      saving.add(keyOf(object));
    });
    cache.replace(live.list());
    for (const work of live.list()) saving.add(keyOf(work));
    saving.add(sweep);
    finish();
  }

  async function startFromCopy(): Promise<void> {
    await Promise.race([live.synced, sleep(patienceMs, undefined, { signal, ref: false })]).catch(() => {});
    for (let wait = 1_000; !isLive && !signal.aborted; wait = Math.min(wait * 2, 30_000)) {
      try {
        const works = await load();
        if (isLive || signal.aborted) return;
        if (works.length > 0) log.warn('the hub cannot be asked: going on with the Works it last told', { ns: namespace });
        cache.replace(works);
        return finish();
      } catch (err) {
        log.debug('cannot read the copy of the Works', { ns: namespace, err });
        await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  function finish(): void {
    hasSynced = true;
    synced.resolve();
  }

  async function load(): Promise<Work[]> {
    const works: Work[] = [];
    for (const name of await blobs.names('work', signal)) {
      const bytes = await blobs.get('work', name, signal);
      const work = bytes && (parseJson(bytes.toString('utf8')) as unknown as Work);
      if (work?.metadata?.namespace !== namespace) continue;
      works.push(work);
      saved.set(keyOf(work), work);
    }
    return works;
  }

  async function save(key: Key): Promise<void> {
    if (key === sweep) return sweepUp();
    const work = live.get(key);
    const last = saved.get(key);
    if (work && last && !isWorthKeeping(last, work)) return;
    if (work) await blobs.put('work', key, Buffer.from(printJson(work)), signal);
    else await blobs.delete('work', key, signal);
    if (work) saved.set(key, work);
    else saved.delete(key);
    const had = last ? digestsOf(last) : [];
    for (const digest of had) if (live.list().every(one => !digestsOf(one).includes(digest))) await blobs.delete('content', digest, signal);
  }

  /** What was left by an agent that was away while the hub changed. */
  async function sweepUp(): Promise<void> {
    const works = new Set(live.list().map(keyOf));
    const digests = new Set(live.list().flatMap(digestsOf));
    for (const name of await blobs.names('work', signal)) if (!works.has(name)) await blobs.delete('work', name, signal);
    for (const name of await blobs.names('content', signal)) if (!digests.has(name)) await blobs.delete('content', name, signal);
  }

  function complain(_key: Key, err: unknown, failures: number): void {
    if (failures > 2) log.warn('a Work was not kept for times without the hub', { ns: namespace, err });
  }
}

const sweep = ' sweep';

/** Health comes and goes; after a restart it is seen anew. */
function isWorthKeeping(last: Work, work: Work): boolean {
  const facts = ({ metadata, status }: Work) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.finalizers,
    metadata.annotations,
    status?.delivered,
    status?.objects?.map(({ health: _health, message: _message, ...ref }) => ref),
  ];
  return !jsonEqual(facts(last), facts(work));
}

function keepOfWork({ metadata: { managedFields: _managedFields, ...metadata }, ...work }: Work): Work {
  return { ...work, metadata } as Work;
}
