import { fork } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import type { Transport } from '../../src/client/transport.ts';
import { httpsServer } from '../../src/apiserver/http/https-server.ts';
import { createPki } from '../../src/pki/ensure-pki.ts';
import { connectHandler } from '../../src/tunnel/connect-handler.ts';
import { TunnelSessions } from '../../src/tunnel/tunnel-sessions.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { cpuSeconds } from '../process-use.ts';
import type { OneAgentTask } from './one-agent.ts';

export interface Speed {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests a second. */
  readonly rate: number;
  readonly mebibytesPerSecond: number;
  /** Of all processes together, for one of many requests. Says more than the rate does when others use the machine too. */
  readonly cpuMicroseconds: number;
}

export interface ContestOptions {
  readonly kubeconfig: string;
  /** The processes of the API server. */
  readonly serverPids: readonly number[];
  /** A small object, and a list of some mebibytes. */
  readonly smallPath: string;
  readonly largePath: string;
  readonly durationMs: number;
  readonly rounds: number;
  log(text: string): void;
}

export const id = 'c-m-bench000';
const clients = 32;

/** The same requests from the same process, straight to an API server and through a tunnel whose agent is another process, in turns. */
export async function contest(options: ContestOptions): Promise<{ direct: Speed; tunnel: Speed }> {
  const { kubeconfig, rounds, log } = options;
  await using stack = new AsyncDisposableStack();
  const sessions = stack.use(new TunnelSessions());
  const agentPid = await connectAgent(stack, sessions, kubeconfig);
  const pids = [process.pid, agentPid, ...options.serverPids];
  const direct = stack.use(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));
  const ways = { direct, tunnel: sessions.transport(id) };
  const best: Record<'direct' | 'tunnel', Speed | undefined> = { direct: undefined, tunnel: undefined };
  for (let round = 0; round < rounds; round++) {
    for (const way of ['direct', 'tunnel'] as const) {
      const speed = await measure(ways[way], options, pids);
      best[way] = better(best[way], speed);
      log(
        `${way}: p50 ${speed.p50Ms.toFixed(2)} ms, ${speed.rate.toFixed(0)} requests/s, ${speed.cpuMicroseconds.toFixed(0)} µs of processor each, ${speed.mebibytesPerSecond.toFixed(0)} MiB/s`,
      );
    }
  }
  return { direct: best.direct!, tunnel: best.tunnel! };
}

/** Connects the agent of a cluster, in a process of its own, whose id it answers. */
export async function connectAgent(stack: AsyncDisposableStack, sessions: TunnelSessions, kubeconfig: string): Promise<number> {
  const pki = createPki();
  const connect = connectHandler({ sessions, verify: async () => ({ clusterId: id }) });
  const server = httpsServer(pki, {
    handle: (_req, res) => void res.writeHead(404).end(),
    wantsUpgrade: () => true,
    upgrade: (req, socket, head) => void connect(req, socket, head),
  });
  stack.defer(() => server.close());
  const { port } = await server.listen('127.0.0.1', 0);
  const child = fork(fileURLToPath(new URL('one-agent.ts', import.meta.url)), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  stack.defer(() => void child.kill());
  child.send({ hubPort: port, ca: pki.authority.certificate, kubeconfig } satisfies OneAgentTask);
  await eventually(() => sessions.state(id)?.isConnected, Boolean, { timeoutMs: 30_000, what: 'the tunnel' });
  return child.pid!;
}

async function measure(
  transport: Transport,
  { smallPath, largePath, durationMs }: ContestOptions,
  pids: readonly number[],
): Promise<Speed> {
  const times: number[] = [];
  await during(durationMs, 1, async () => {
    const startedAt = performance.now();
    await get(transport, smallPath);
    times.push(performance.now() - startedAt);
  });
  const cpuBefore = cpuSeconds(pids);
  let count = 0;
  const rate = await during(durationMs, clients, async () => {
    await get(transport, smallPath);
    count++;
    return 1;
  });
  const cpuMicroseconds = ((cpuSeconds(pids) - cpuBefore) * 1e6) / count;
  const bytes = await during(durationMs, 2, () => get(transport, largePath));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), rate, mebibytesPerSecond: bytes / 2 ** 20, cpuMicroseconds };
}

/** Sums up what the calls answer, a second. */
async function during(durationMs: number, count: number, call: () => Promise<number | void>): Promise<number> {
  const startedAt = performance.now();
  let sum = 0;
  const client = async () => {
    while (performance.now() - startedAt < durationMs) {
      // Not in one expression: the sum would be read before the wait.
      const amount = await call();
      sum += amount ?? 0;
    }
  };
  await Promise.all(Array.from({ length: count }, client));
  return sum / ((performance.now() - startedAt) / 1000);
}

async function get(transport: Transport, path: string): Promise<number> {
  const { status, body } = await transport.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const content = await text(body);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${content.slice(0, 200)}`);
  return content.length;
}

function better(a: Speed | undefined, b: Speed): Speed {
  if (!a) return b;
  return {
    p50Ms: Math.min(a.p50Ms, b.p50Ms),
    p99Ms: Math.min(a.p99Ms, b.p99Ms),
    rate: Math.max(a.rate, b.rate),
    mebibytesPerSecond: Math.max(a.mebibytesPerSecond, b.mebibytesPerSecond),
    cpuMicroseconds: Math.min(a.cpuMicroseconds, b.cpuMicroseconds),
  };
}
