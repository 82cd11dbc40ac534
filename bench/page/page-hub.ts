import { readFileSync } from 'node:fs';
import { ConfigMap, Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { startHub } from '../../test/helpers/hub.ts';
import { connect } from '../delivery/real-members.ts';

export interface PageHub extends AsyncDisposable {
  readonly url: string;
  readonly password: string;
  /** Changes a label of so many clusters, one after the other. */
  change(times: number): Promise<void>;
}

const namespace = 'bench';
const atOnce = 16;
const nameOf = (i: number) => `bench-${String(i).padStart(4, '0')}`;

/** A hub in a process of its own with so many clusters that wait for their agents, and so many objects in one namespace. */
export async function startPageHub(size: { clusters: number; objects: number; log(text: string): void }): Promise<PageHub> {
  await using starting = new AsyncDisposableStack();
  const hub = starting.use(await startHub());
  const client = starting.use(connect(hub.kubeconfig));
  const startedAt = performance.now();
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const call = { timeoutMs: 120_000 };
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, call);
  await mapBounded(numbers(size.clusters), atOnce, i => {
    const labels = { env: i % 2 ? 'prod' : 'dev', region: `r${i % 7}`, team: `team-${i % 100}` };
    return client.create(Cluster, newObject(Cluster, { name: nameOf(i), labels }, { connection: { mode: 'Tunnel' } }), call);
  });
  size.log(`${size.clusters} clusters made after ${seconds(startedAt)} s`);
  await mapBounded(numbers(size.objects), atOnce, i => {
    const metadata = { namespace, name: `object-${i}`, labels: { app: `app-${i % 50}` } };
    return client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: `value ${i}` } }, call);
  });
  size.log(`${size.objects} objects made after ${seconds(startedAt)} s`);
  const password = /shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8'))?.[1] ?? '';
  const kept = starting.move();
  let changes = 0;
  return {
    url: hub.server,
    password,
    async change(times) {
      await mapBounded(numbers(times), atOnce, async () => {
        const at = changes++;
        const body = { metadata: { labels: { change: `n${at}` } } };
        await client.patch(Cluster, { name: nameOf(at % size.clusters) }, { type: 'merge', body }, call);
      });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const seconds = (startedAt: number) => ((performance.now() - startedAt) / 1000).toFixed(1);
