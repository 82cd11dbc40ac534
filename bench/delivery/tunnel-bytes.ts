import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypes } from '../../src/api/content.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import { putContent } from '../../src/core/contents/put-content.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startHub } from '../../test/helpers/hub.ts';
import { addTunnelCluster, authorityChecksum, readCondition, startAgentProgram } from '../../test/helpers/imported-member.ts';
import { startEtcd } from '../../test/helpers/real-cluster.ts';
import { startRealMember } from '../../test/helpers/real-member.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { figure, type Figure } from '../figure.ts';
import type { BenchOptions } from '../run.ts';
import { connect } from './real-members.ts';
import { objectsOfChart, packShopChart } from './shop-chart.ts';
import { watchWorks } from './wait-for-works.ts';

/** What one imported cluster costs its line: the chart of 20 objects delivered by the agent, and one changed value. */
export async function benchTunnelBytes({ quick, log }: BenchOptions): Promise<Figure[]> {
  using scratch = tempDir('bench-tunnel-bytes');
  await using etcd = await startEtcd();
  await using member = await startRealMember(etcd);
  await using hub = await startHub({ dataDir: path.join(scratch.dir, 'data') });
  await using line = await startCountedLine(Number(new URL(hub.server).port));
  const { id, token } = await addTunnelCluster(hub, 'far');
  await using agent = startAgentProgram({
    server: `https://127.0.0.1:${line.port}`,
    checksum: authorityChecksum(hub),
    kubeconfig: member.kubeconfig,
    token,
    dir: scratch.dir,
  });
  await eventually(
    () => readCondition(hub, 'far', 'Ready'),
    found => found.startsWith('True'),
    { timeoutMs: 120_000 },
  );
  log(`agent ${agent.pid} is connected`);
  await sleep(10_000);
  const idleMs = quick ? 10_000 : 60_000;
  const idle = await line.during(() => sleep(idleMs));

  await using client = connect(hub.kubeconfig);
  const chart = packShopChart();
  const digest = await putContent(client, chart, { type: contentTypes.chart, chart: { name: 'shop', version: '1.0.0' } });
  using watch = await watchWorks(client, 'bench-run=shop');
  const spec = {
    release: { name: 'shop', namespace: 'shop' },
    chart: { name: 'shop', version: '1.0.0', content: digest },
    // Nobody runs Deployments here.
    options: { wait: false },
  };
  const metadata = { name: 'shop', namespace: id, labels: { 'bench-run': 'shop' } };
  const install = await line.during(async () => {
    await client.create(Work, newObject(Work, metadata, spec));
    await watch.applied(1, 120_000);
    await sleep(5_000);
  });
  const change = await line.during(async () => {
    await client.patch(Work, { namespace: id, name: 'shop' }, { type: 'merge', body: { spec: { values: { text: 'changed' } } } });
    await sleep(1_000);
    await watch.applied(1, 120_000);
    await sleep(5_000);
  });
  log(`tunnel: idle ${idle} bytes in ${idleMs / 1000} s, install ${install}, change ${change}; the packed chart has ${chart.length}`);
  const alone = { better: 'less', unit: 'KiB', peer: NaN } as const;
  return [
    figure({ ...alone, name: `through the tunnel: chart of ${objectsOfChart} objects delivered`, ours: install / 1024 }),
    figure({ ...alone, name: 'through the tunnel: one changed value', ours: change / 1024 }),
    figure({ ...alone, name: 'through the tunnel: a minute without news', ours: ((idle / idleMs) * 60_000) / 1024 }),
  ];
}

interface CountedLine extends AsyncDisposable {
  readonly port: number;
  /** How many bytes pass meanwhile, both ways. */
  during(deed: () => Promise<unknown>): Promise<number>;
}

async function startCountedLine(serverPort: number): Promise<CountedLine> {
  let bytes = 0;
  const server = createServer(near => {
    const far = connectSocket(serverPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', chunk => (bytes += chunk.length));
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => to.destroy());
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async during(deed) {
      const before = bytes;
      await deed();
      return bytes - before;
    },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
