import path from 'node:path';
import { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from '../../src/dialects/k0rdent/kinds/group.ts';
import { Management } from '../../src/dialects/k0rdent/kinds/management.ts';
import { ClusterTemplate, ServiceTemplate } from '../../src/dialects/k0rdent/kinds/template.ts';
import { findCondition } from '../../src/api/conditions.ts';
import { newObject } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { pushChart } from '../../src/core/contents/stored-charts.ts';
import { inspectChart } from '../../src/sources/inspect-chart.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { startHub } from '../../test/helpers/hub.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { connect } from '../delivery/real-members.ts';
import { packShopChart } from '../delivery/shop-chart.ts';
import { firstSeen } from './first-seen.ts';
import type { TimeLimit } from './time-limit.ts';

/** A hub in a process of its own with a template, and ClusterDeployments of sandbox clusters that are ready. */
export interface Fleet extends AsyncDisposable {
  readonly pid: number;
  /** Without the spare ones. */
  readonly size: number;
  readonly hub: KubeClient;
  /** From the first ClusterDeployment until all were ready. */
  readonly readySeconds: number;
  member(cluster: string): KubeClient & AsyncDisposable;
  /** How many writes the store of the hub has seen. */
  revision(): Promise<number>;
}

export interface FleetOptions {
  /** With the label tier=dev, and color=c0, which the values ask for. */
  readonly size: number;
  /** With the label tier=none. */
  readonly spare: number;
  readonly limit: TimeLimit;
  log(text: string): void;
}

export const clusterName = (i: number): string => `dev-${i}`;
export const spareName = (i: number): string => `spare-${i}`;
export const templateName = 'shop-1-0-0';

export async function startFleet({ size, spare, limit, log }: FleetOptions): Promise<Fleet> {
  await using starting = new AsyncDisposableStack();
  const scratch = tempDir('bench-mcs');
  starting.defer(() => scratch[Symbol.dispose]());
  const dataDir = path.join(scratch.dir, 'data');
  const started = starting.use(await startHub({ dataDir }));
  const hub = starting.use(connect(started.kubeconfig));
  await seen(hub, ClusterTemplate, 'sandbox-1-0-0', limit);
  await pushChart(hub, inspectChart(packShopChart(), 'shop'), { signal: AbortSignal.timeout(60_000) });
  const spec = { helm: { chartSpec: { chart: 'shop', version: '1.0.0' } } };
  await hub.create(ServiceTemplate, newObject(ServiceTemplate, { namespace, name: templateName }, spec));
  await seen(hub, ServiceTemplate, templateName, limit);

  const ready = new Set<string>();
  const wanted = size + spare;
  using watch = firstSeen(hub, ClusterDeployment, { namespace }, cd => {
    const had = ready.size;
    if (findCondition(cd, 'Ready')?.status === 'True') ready.add(cd.metadata.name!);
    if (ready.size > had && ready.size % 500 === 0) log(`${ready.size} of ${wanted} clusters are ready`);
    return ready.size === wanted;
  });
  const startedAt = performance.now();
  const names = [
    ...Array.from({ length: size }, (_, i) => [clusterName(i), 'dev'] as const),
    ...Array.from({ length: spare }, (_, i) => [spareName(i), 'none'] as const),
  ];
  const create = ([name, tier]: readonly [string, string]) =>
    hub.create(
      ClusterDeployment,
      newObject(ClusterDeployment, { namespace, name, labels: { tier, color: 'c0' } }, { template: 'sandbox-1-0-0', config: {} }),
      { timeoutMs: 120_000 },
    );
  await limit.wait(mapBounded(names, 16, create), () => `ClusterDeployments were being written, ${ready.size} of ${wanted} were ready`);
  const readyAt = await limit.wait(watch.atMs, () => `${ready.size} of ${wanted} clusters were ready`);
  const readySeconds = (readyAt - startedAt) / 1000;
  log(`${wanted} sandbox clusters ready after ${readySeconds.toFixed(1)} s`);
  const kept = starting.move();
  return {
    pid: started.program.pid,
    size,
    hub,
    readySeconds,
    member: cluster => connect(path.join(dataDir, 'sandboxes', `${cluster}.kubeconfig`)),
    revision: async () => Number((await hub.list(Management)).resourceVersion),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Waits until a template is there and can be used. */
async function seen(hub: KubeClient, kind: typeof ServiceTemplate, name: string, limit: TimeLimit): Promise<void> {
  using watch = firstSeen(hub, kind, { namespace }, ({ metadata, status }) => metadata.name === name && status?.valid === true);
  await limit.wait(watch.atMs, () => `${kind.kind} ${name} was not valid`);
}
