import { createHash } from 'node:crypto';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, parseApiVersion, type GroupVersionKind } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import type { Capabilities } from '../../render/helm/capabilities.ts';
import { readServed, type Served } from '../clusters/read-discovery.ts';

/** The kinds that a member serves. */
export interface MemberKinds {
  /** Undefined when the member has no such kind, also after it was asked anew. */
  find(gvk: GroupVersionKind, signal: AbortSignal): Promise<KindRef | undefined>;
  /** What a chart may ask about the member, as it is now. */
  capabilities(signal: AbortSignal): Promise<Capabilities>;
  /** The kinds have changed, for example because definitions were applied: the next question goes to the member. */
  forget(): void;
}

/** What was read, made ready for questions. */
interface Index {
  readonly kinds: ReadonlyMap<string, KindRef>;
  readonly apiVersions: readonly string[];
}

interface Known {
  readonly index: Index;
  readonly tags: Served['tags'];
}

const timeoutMs = 30_000;

/** Asks the member when it is first needed, and again only for kinds that are not known; by tag, so that no news costs next to nothing. */
export function memberKinds(client: KubeClient): MemberKinds {
  let known: Known | undefined;
  let isStale = false;
  let reading: Promise<Index> | undefined;

  return {
    async find(gvk, signal) {
      if (known && !isStale) {
        const kind = known.index.kinds.get(keyOf(gvk));
        if (kind) return kind;
      }
      return (await shared(signal)).kinds.get(keyOf(gvk));
    },

    async capabilities(signal) {
      const [{ apiVersions }, kubeVersion] = await Promise.all([shared(signal), readVersion(client, signal)]);
      return { kubeVersion, apiVersions };
    },

    forget() {
      isStale = true;
      // A reading under way may have begun before what made it stale.
      reading = undefined;
    },
  };

  /** Whoever asks while a reading is under way gets its answer; giving up is for each alone. */
  async function shared(signal: AbortSignal): Promise<Index> {
    signal.throwIfAborted();
    reading ??= start();
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([reading, promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  function start(): Promise<Index> {
    const mine = read().finally(() => {
      if (reading === mine) reading = undefined;
    });
    mine.catch(() => {});
    return mine;
  }

  async function read(): Promise<Index> {
    isStale = false;
    try {
      const served = await readServed(client, known?.tags, AbortSignal.timeout(timeoutMs));
      if (served) known = { index: shareIndex(served), tags: served.tags };
    } catch (error) {
      isStale = true;
      throw error;
    }
    return known!.index;
  }
}

async function readVersion(client: KubeClient, signal: AbortSignal): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const res = await client.request({ method: 'GET', path: '/version', headers: { accept: 'application/json' }, signal: deadline });
  const { gitVersion } = (await readJson(res)) as { gitVersion?: string };
  if (gitVersion === undefined) throw new Error('the member does not say which version it is');
  return gitVersion;
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

function indexOf({ versions }: Served): Index {
  const kinds = new Map<string, KindRef>();
  const apiVersions = new Set<string>();
  for (const { groupVersion, resources } of versions) {
    const gv = parseApiVersion(groupVersion);
    apiVersions.add(apiVersionOf(gv));
    for (const { name, kind, isNamespaced, subresourceKinds } of resources) {
      const ref: KindRef = { ...gv, kind, resource: name, scope: isNamespaced ? 'Namespaced' : 'Cluster' };
      if (!kinds.has(keyOf(ref))) kinds.set(keyOf(ref), ref);
      for (const one of [kind, ...subresourceKinds]) apiVersions.add(`${groupVersion}/${one}`);
    }
  }
  return { kinds, apiVersions: [...apiVersions].sort() };
}

const indexes = new Map<string, WeakRef<Index>>();
const forgotten = new FinalizationRegistry<string>(text => {
  if (!indexes.get(text)?.deref()) indexes.delete(text);
});

/** The same index for all who serve the same kinds: a thousand members of one version would otherwise hold it a thousand times. */
function shareIndex(served: Served): Index {
  const text = createHash('sha256').update(JSON.stringify(served.versions)).digest('base64');
  const present = indexes.get(text)?.deref();
  if (present) return present;
  const index = indexOf(served);
  indexes.set(text, new WeakRef(index));
  forgotten.register(index, text);
  return index;
}
