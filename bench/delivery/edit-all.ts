import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigMap } from '../../src/api/builtin-kinds.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { connect, type HubWithMembers } from './real-members.ts';

export interface EditTimes {
  readonly p50: number;
  readonly p99: number;
}

export interface EditOptions {
  readonly namespace: string;
  /** Whose first manifest is `config-0`. */
  readonly work: string;
  readonly rounds: number;
}

const restMs = 1_500;
const patienceMs = 30_000;

/** Edits one object of the same Work on every member at once, and watches each member until it is seen there. Milliseconds. */
export async function measureEdits({ hubClient, members }: HubWithMembers, { namespace, work, rounds }: EditOptions): Promise<EditTimes> {
  await using open = new AsyncDisposableStack();
  const stop = new AbortController();
  open.defer(() => stop.abort());
  const watches = members.map(({ cluster }) => seenVersions(open.use(connect(cluster.kubeconfig)), namespace, stop.signal));
  await Promise.all(watches.map(watch => watch.seen('0')));
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const version = `edit-${round}`;
    // Status writes of the round before are not part of this one.
    await sleep(restMs);
    const startedAt = performance.now();
    const seen = watches.map(async watch => times.push((await watch.seen(version)) - startedAt));
    const body = [{ op: 'replace', path: '/spec/manifests/0/data/version', value: version }];
    await Promise.all(members.map(({ id }) => hubClient.patch(Work, { namespace: id, name: work }, { type: 'json', body })));
    await Promise.all(seen);
  }
  times.sort((a, b) => a - b);
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}

const percentile = (sorted: readonly number[], p: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * p) / 100) - 1)]!;

function seenVersions(client: KubeClient, namespace: string, signal: AbortSignal) {
  const seenAt = new Map<string, number>();
  const waiting = new Map<string, (atMs: number) => void>();
  void (async () => {
    const events = client.watch(ConfigMap, { namespace, fieldSelector: 'metadata.name=config-0', sendInitialEvents: true, signal });
    for await (const event of events) {
      if (event.type === 'EXPIRED' || event.type === 'BOOKMARK') continue;
      const version = event.object.data?.['version'] ?? '';
      seenAt.set(version, performance.now());
      waiting.get(version)?.(performance.now());
    }
  })().catch(() => {});
  return {
    /** When it was first seen. */
    seen: (version: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const known = seenAt.get(version);
        if (known !== undefined) return resolve(known);
        const timer = setTimeout(() => reject(new Error(`version ${version} was not seen within ${patienceMs} ms`)), patienceMs);
        waiting.set(version, atMs => {
          clearTimeout(timer);
          resolve(atMs);
        });
      }),
  };
}
