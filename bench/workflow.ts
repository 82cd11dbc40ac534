import { readdirSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../src/api/cluster.ts';
import { newObject } from '../src/api/define-kind.ts';
import { Work } from '../src/api/work.ts';
import type { KubeClient } from '../src/client/kube-client.ts';
import { isTerminal, WorkflowRun } from '../src/dialects/workflows/kinds/workflow-run.ts';
import { mapBounded } from '../src/util/map-bounded.ts';
import { connect } from './delivery/real-members.ts';
import { watchWorks } from './delivery/wait-for-works.ts';
import { figure, type Figure } from './figure.ts';
import { cpuSeconds, residentBytes } from './process-use.ts';
import type { BenchOptions, BenchResult } from './run.ts';
import { startHubWithSandboxes, type HubWithSandboxes } from './sandbox/hub-with-sandboxes.ts';
import { label, makeApplication, namespace, plainWork } from './workflow/web-service.ts';

/** One run to many sandbox clusters, beside the same manifests as Works without a workflow. */
export async function benchWorkflow(options: BenchOptions): Promise<BenchResult> {
  const sizes = options.sizes.length > 0 ? options.sizes : [options.quick ? 100 : 1000];
  const figures: Figure[] = [];
  for (const count of sizes) figures.push(...(await benchRun(count, options)));
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'peer: the same ConfigMap, Service and Deployment as one Work for each cluster, until all are applied and healthy; before it in the same hub',
      'a run writes release records and logs besides, and asks every cluster first whether it would take the objects',
    ],
    figures,
  };
}

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly mib: number;
}

async function benchRun(count: number, { quick, oursOnly, hubArgs, log }: BenchOptions): Promise<Figure[]> {
  await using rig = await startHubWithSandboxes(count, 60_000 + count * 300, hubArgs);
  log(`drover: ${count} sandbox clusters ready after ${(rig.startMs / 1000).toFixed(1)} s`);
  const rest = () => sleep(quick ? 3_000 : 15_000);
  await rest();
  await using hub = connect(rig.kubeconfig);
  await makeApplication(hub);
  const idle = residentBytes(rig.pid) / 2 ** 20;
  const peer = oursOnly ? { seconds: NaN, cpuSeconds: NaN, mib: NaN } : await measured(rig, () => deliverPlain(hub, count));
  log(`Works: ${peer.seconds.toFixed(1)} s, ${peer.cpuSeconds.toFixed(1)} s of CPU`);
  await rest();
  const ours = await measured(rig, () => run(hub, 'first', count));
  log(`run: ${ours.seconds.toFixed(1)} s, ${ours.cpuSeconds.toFixed(1)} s of CPU`);
  const logBytes = bytesBelow(path.join(rig.dataDir, 'run-logs'));
  const name = `${count.toLocaleString('en')} clusters`;
  const less = { better: 'less', peer: NaN } as const;
  return [
    figure({ ...less, name: `one run to ${name}`, unit: 's', ours: ours.seconds, peer: peer.seconds, atLeastTimes: 0.67 }),
    figure({ ...less, name: 'CPU of the hub, sandboxes included', unit: 's', ours: ours.cpuSeconds, peer: peer.cpuSeconds }),
    figure({ ...less, name: 'memory of the hub before', unit: 'MiB', ours: idle }),
    figure({ ...less, name: 'memory of the hub, the most that was seen', unit: 'MiB', ours: ours.mib, peer: peer.mib }),
    figure({ ...less, name: 'log of each cluster', unit: 'KiB', ours: logBytes / count / 1024 }),
    figure({ ...less, name: 'logs in all', unit: 'MiB', ours: logBytes / 2 ** 20 }),
  ];
}

async function measured({ pid }: HubWithSandboxes, deed: () => Promise<void>): Promise<Cost> {
  const before = cpuSeconds([pid]);
  let mib = 0;
  const look = setInterval(() => (mib = Math.max(mib, residentBytes(pid) / 2 ** 20)), 250);
  const startedAt = performance.now();
  try {
    await deed();
  } finally {
    clearInterval(look);
  }
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: cpuSeconds([pid]) - before, mib };
}

async function deliverPlain(hub: KubeClient, count: number): Promise<void> {
  const ids = (await hub.list(Cluster)).items.map(({ status }) => status!.id!);
  using watch = await watchWorks(hub, label, 'Ready');
  await mapBounded(ids, 32, id => hub.create(Work, plainWork(id), { timeoutMs: 60_000 }));
  await watch.applied(count, 60_000 + count * 1_000);
}

async function run(hub: KubeClient, name: string, count: number): Promise<void> {
  await hub.create(WorkflowRun, newObject(WorkflowRun, { namespace, name }, { workflowRef: { name: 'web' } }));
  const deadline = AbortSignal.timeout(60_000 + count * 1_000);
  for await (const event of hub.watch(WorkflowRun, { namespace, sendInitialEvents: true, signal: deadline })) {
    if (event.type === 'EXPIRED') throw new Error('the watch fell behind');
    const { metadata, status } = event.object as WorkflowRun;
    if (event.type === 'BOOKMARK' || metadata.name !== name || !isTerminal(status?.phase)) continue;
    if (status?.phase !== 'Succeeded' || status.clusters?.succeeded !== count)
      throw new Error(`the run ended as ${status?.phase}: ${JSON.stringify(status?.clusters)} ${status?.message}`);
    return;
  }
  throw new Error('the run did not end in time');
}

function bytesBelow(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(one => one.isFile())
    .reduce((sum, one) => sum + statSync(path.join(one.parentPath, one.name)).size, 0);
}
