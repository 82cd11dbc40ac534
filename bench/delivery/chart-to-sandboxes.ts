import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../src/api/cluster.ts';
import { contentTypes } from '../../src/api/content.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { putContent } from '../../src/core/contents/put-content.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { HttpTarget, readKubeconfig } from '../../test/helpers/http-target.ts';
import { figure, type Figure } from '../figure.ts';
import { cpuSeconds, residentBytes } from '../process-use.ts';
import type { BenchOptions } from '../run.ts';
import { startHubWithSandboxes, type HubWithSandboxes } from '../sandbox/hub-with-sandboxes.ts';
import { connect } from './real-members.ts';
import { objectsOfChart, packShopChart } from './shop-chart.ts';
import { watchWorks } from './wait-for-works.ts';

const label = 'bench-run=shop';
const release = { name: 'shop', namespace: 'shop' };
/** So many of the clusters that nothing changed for are looked at closely. */
const lookedAt = 20;

/** One chart to many sandbox clusters, and then one changed value on one of them. */
export async function benchChart({ quick, log }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 100 : 1000;
  await using rig = await startHubWithSandboxes(count, 60_000 + count * 300);
  log(`drover: ${count} sandbox clusters ready after ${(rig.startMs / 1000).toFixed(1)} s`);
  await using hub = connect(rig.kubeconfig);
  await sleep(quick ? 3_000 : 15_000);
  const before = { cpu: cpuSeconds([rig.pid]), mib: residentBytes(rig.pid) / 2 ** 20 };
  const digest = await putContent(hub, packShopChart(), { type: contentTypes.chart, chart: { name: 'shop', version: '1.0.0' } });
  const ids = (await hub.list(Cluster)).items.map(({ status }) => status!.id!);
  using watch = await watchWorks(hub, label);
  const startedAt = performance.now();
  await mapBounded(ids, 32, id => hub.create(Work, shopWork(id, digest, { text: id }), { timeoutMs: 60_000 }));
  const writtenSeconds = (performance.now() - startedAt) / 1000;
  await watch.applied(count, 60_000 + count * 1_000);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuAfter = cpuSeconds([rig.pid]);
  log(`${objectsOfChart} objects on ${count} clusters after ${seconds.toFixed(1)} s (Works written after ${writtenSeconds.toFixed(1)} s)`);
  await settle(watch, log);
  // A hub gives memory back some time after it was busy.
  await sleep(quick ? 20_000 : 60_000);
  const mibAfter = residentBytes(rig.pid) / 2 ** 20;
  const statusWrites = watch.total / count;
  const change = await changeOne(hub, rig, watch, ids, log);

  const name = `${count.toLocaleString('en')} sandbox clusters`;
  const alone = { better: 'less', peer: NaN } as const;
  return [
    figure({ name: `chart of ${objectsOfChart} objects to ${name}`, unit: 'clusters/s', better: 'more', ours: count / seconds, peer: NaN }),
    figure({
      ...alone,
      name: `CPU of the hub, sandboxes included, for each cluster`,
      unit: 'ms',
      ours: ((cpuAfter - before.cpu) / count) * 1000,
    }),
    figure({ ...alone, name: 'memory of the hub before', unit: 'MiB', ours: before.mib }),
    figure({ ...alone, name: 'memory of the hub afterwards', unit: 'MiB', ours: mibAfter }),
    figure({ ...alone, name: 'writes of each Work, all told', unit: 'writes', ours: statusWrites }),
    figure({ ...alone, name: 'one changed value: seen on its cluster', unit: 'ms', ours: change.seenMs }),
    figure({ ...alone, name: 'one changed value: Works of other clusters written', unit: 'writes', ours: change.otherWorks, below: 1 }),
    figure({
      ...alone,
      name: `one changed value: objects changed on ${lookedAt} other clusters`,
      unit: 'objects',
      ours: change.otherObjects,
      below: 1,
    }),
  ];
}

const shopWork = (id: string, digest: string, values: Record<string, string>): Work =>
  newObject(
    Work,
    { name: 'shop', namespace: id, labels: { 'bench-run': 'shop' } },
    { release, chart: { name: 'shop', version: '1.0.0', content: digest }, values },
  );

/** Until no Work has been written for a while. */
async function settle(watch: { readonly total: number }, log: (text: string) => void): Promise<void> {
  for (let last = -1; watch.total !== last;) {
    last = watch.total;
    await sleep(5_000);
  }
  log(`quiet after ${watch.total} writes`);
}

interface Change {
  readonly seenMs: number;
  readonly otherWorks: number;
  readonly otherObjects: number;
}

async function changeOne(
  hub: KubeClient,
  rig: HubWithSandboxes,
  watch: Awaited<ReturnType<typeof watchWorks>>,
  ids: readonly string[],
  log: (text: string) => void,
): Promise<Change> {
  const { items: clusters } = await hub.list(Cluster);
  const nameOf = new Map(clusters.map(({ metadata, status }) => [status!.id!, metadata.name!]));
  const [changed, ...others] = ids;
  const targets = others.slice(0, lookedAt).map(id => new HttpTarget(readKubeconfig(rig.kubeconfigOf(nameOf.get(id)!))));
  const mine = new HttpTarget(readKubeconfig(rig.kubeconfigOf(nameOf.get(changed!)!)));
  try {
    const before = await Promise.all(targets.map(versions));
    watch.writes();
    const startedAt = performance.now();
    await hub.patch(Work, { namespace: changed!, name: 'shop' }, { type: 'merge', body: { spec: { values: { text: 'changed' } } } });
    const path = `/api/v1/namespaces/${release.namespace}/configmaps/shop-config-0`;
    while ((await mine.request('GET', path)).json<{ data?: { text: string } }>().data?.text !== 'changed') await sleep(5);
    const seenMs = performance.now() - startedAt;
    await sleep(10_000);
    const after = await Promise.all(targets.map(versions));
    const otherObjects = after.reduce(
      (sum, map, i) => sum + [...map].filter(([key, version]) => before[i]!.get(key) !== version).length,
      0,
    );
    const otherWorks = [...watch.writes().keys()].filter(key => !key.startsWith(`${changed}/`)).length;
    log(
      `one changed value was on its cluster after ${seenMs.toFixed(0)} ms; other Works written: ${otherWorks}, other objects: ${otherObjects}`,
    );
    return { seenMs, otherWorks, otherObjects };
  } finally {
    for (const target of [...targets, mine]) target.close();
  }
}

/** The version of every delivered object and record of the release on a cluster. */
async function versions(target: HttpTarget): Promise<Map<string, string>> {
  const resources = ['/api/v1', '/apis/apps/v1'].flatMap(api =>
    (api === '/api/v1' ? ['configmaps', 'secrets', 'services', 'serviceaccounts'] : ['deployments']).map(
      resource => `${api}/namespaces/${release.namespace}/${resource}`,
    ),
  );
  const lists = await Promise.all(
    resources.map(async path => {
      const { items } = (await target.request('GET', path)).json<{ items: { metadata: { name: string; resourceVersion: string } }[] }>();
      return items.map(({ metadata }): [string, string] => [`${path}/${metadata.name}`, metadata.resourceVersion]);
    }),
  );
  return new Map(lists.flat());
}
