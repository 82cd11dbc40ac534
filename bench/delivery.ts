import { cpus, totalmem } from 'node:os';
import { figure, type Figure } from './figure.ts';
import { deliver, workName } from './delivery/deliver-to-real.ts';
import { measureEdits } from './delivery/edit-all.ts';
import { measureFloor } from './delivery/floor.ts';
import { startHubWithMembers } from './delivery/real-members.ts';
import { benchChart } from './delivery/chart-to-sandboxes.ts';
import { benchTunnelBytes } from './delivery/tunnel-bytes.ts';
import { cpuSeconds, residentBytes } from './process-use.ts';
import type { BenchOptions, BenchResult } from './run.ts';

/** Deliveries through a whole hub, against a bare client that does nothing but apply, and to a thousand sandbox clusters. */
export async function benchDelivery(options: BenchOptions): Promise<BenchResult> {
  const figures: Figure[] = [];
  const parts: readonly [string, (options: BenchOptions) => Promise<readonly Figure[]>][] = [
    ['real members', benchReal],
    ['sandboxes', benchChart],
    ['tunnel', benchTunnelBytes],
  ];
  for (const [name, run] of parts) if (options.focus.test(name)) figures.push(...(await run(options)));
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'members: kube-apiserver 1.36.3, all on one etcd without fsync; hub: `drover up`, embedded, a process of its own; everything on this machine',
      'peer of deliveries: a bare client in its own process that applies the same objects over kept connections, best of 4, 8, 16 and 32 at a time on each member; none elsewhere. Within 1.3 times its time is a ratio of 0.77',
      'Karmada 1.16 on such a machine: 500 ConfigMaps to 8 members in 776 s, 244-251 s with every limit raised; one edit to all 8: p50 224 ms, p99 424 ms',
    ],
    figures,
  };
}

const within = (times: number, peer: number) => (Number.isNaN(peer) ? {} : { atLeastTimes: Number((1 / times).toFixed(2)) });

async function benchReal({ quick, oursOnly, log }: BenchOptions): Promise<Figure[]> {
  const size = quick ? { members: 2, count: 100, rounds: 5 } : { members: 8, count: 500, rounds: 40 };
  await using rig = await startHubWithMembers(size.members, log);
  const { count } = size;
  const what = `${count} objects to ${size.members} members`;
  const kubeconfigs = rig.members.map(({ cluster }) => cluster.kubeconfig);
  const timeoutMs = 600_000;
  const deliverOnce = async (namespace: string, form: 'one Work' | 'a Work for each') => {
    const before = cpuSeconds([rig.hub.program.pid]);
    const time = await deliver(rig, { count, namespace, form, timeoutMs });
    const hubSeconds = cpuSeconds([rig.hub.program.pid]) - before;
    log(
      `${form}: ${what} in ${time.onMembersSeconds.toFixed(2)} s, ready after ${time.toldSeconds.toFixed(2)} s, hub ${hubSeconds.toFixed(1)} s of CPU`,
    );
    return { ...time, hubSeconds };
  };
  await deliver(rig, { count: Math.min(count, 50), namespace: 'warm', form: 'one Work', timeoutMs });
  const bare = oursOnly ? { seconds: NaN, cpuSeconds: NaN } : await measureFloor(kubeconfigs, { count, rounds: 2, log });
  const floor = bare.seconds;
  const first = await deliverOnce('together', 'one Work');
  const second = await deliverOnce('together-again', 'one Work');
  const together = second.onMembersSeconds < first.onMembersSeconds ? second : first;
  const each = await deliverOnce('each', 'a Work for each');
  const rest = { unit: 's', better: 'less', peer: NaN } as const;
  const edits = await measureEdits(rig, { namespace: 'each', work: workName('each'), rounds: size.rounds });
  const big = await measureEdits(rig, { namespace: 'together', work: workName('together'), rounds: Math.ceil(size.rounds / 2) });
  log(`edits: p50 ${edits.p50.toFixed(0)} ms, p99 ${edits.p99.toFixed(0)} ms; in a large Work p50 ${big.p50.toFixed(0)} ms`);
  const edit = { unit: 'ms', better: 'less', peer: NaN } as const;
  return [
    figure({ ...rest, name: `${what}, one Work for each member`, ours: together.onMembersSeconds, peer: floor, ...within(1.3, floor) }),
    figure({ ...rest, name: 'until every Work is ready', ours: together.toldSeconds, peer: floor }),
    figure({ ...rest, name: 'CPU of the hub, or of the bare client', ours: together.hubSeconds, peer: bare.cpuSeconds }),
    figure({ ...rest, name: `${what}, a Work for each object`, ours: each.onMembersSeconds, peer: floor }),
    figure({ ...rest, name: 'until every Work is ready, a Work for each object', ours: each.toldSeconds, peer: floor }),
    figure({ ...rest, name: 'CPU of the hub, a Work for each object', ours: each.hubSeconds, peer: bare.cpuSeconds }),
    figure({ ...rest, unit: 'MiB', name: 'memory of the hub', ours: residentBytes(rig.hub.program.pid) / 2 ** 20 }),
    figure({ ...edit, name: `one edit to all ${size.members}, p50`, ours: edits.p50, below: 60 }),
    figure({ ...edit, name: `one edit to all ${size.members}, p99`, ours: edits.p99, below: 150 }),
    figure({ ...edit, name: `one edit in a Work of ${count} objects, p50`, ours: big.p50 }),
    figure({ ...edit, name: `one edit in a Work of ${count} objects, p99`, ours: big.p99 }),
  ];
}
