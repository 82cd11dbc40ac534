import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';

const members = 50;
const loops = 16;
const requestsPerLoop = 60;
/** What the hub keeps under way to one member at the most. */
const mostRequests = 200;

interface FakeMember {
  readonly name: string;
  readonly port: number;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  isHanging: boolean;
}

/** As much of an API server as the hub needs to call it ready. */
async function startMember(name: string): Promise<FakeMember> {
  const sockets = new Set<Socket>();
  const server = createServer((req, res) => {
    if (member.isHanging) return;
    req.resume();
    const path = (req.url ?? '').split('?', 1)[0];
    if (path === '/version') return void res.end('{"gitVersion":"v1.36.3"}');
    if (path === '/readyz') return void res.end('ok');
    res.writeHead(path === '/api/v1/namespaces/default/configmaps/x' ? 200 : 404, { 'content-type': 'application/json' });
    res.end(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"on":"${name}"}}`);
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const member: FakeMember = { name, port: (server.address() as AddressInfo).port, server, sockets, isHanging: false };
  return member;
}

async function join(hub: Hub, { name, port }: FakeMember, index: number): Promise<void> {
  const id = `c-${String(index).padStart(5, '0')}`;
  const create = (path: string, obj: object) =>
    eventually(
      async () => (await hub.request('POST', path, obj)).code,
      code => code === 201 || code === 409,
      { what: path },
    );
  await create('/apis/drover.io/v1alpha1/clusters', {
    apiVersion: 'drover.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { id, connection: { mode: 'Direct', server: `http://127.0.0.1:${port}`, secretName: 'credential' } },
  });
  await create(`/api/v1/namespaces/${id}/secrets`, { metadata: { name: 'credential' }, stringData: { token: 'x' } });
}

const ask = (hub: Pick<Hub, 'request'>, name: string, timeoutMs = 30_000) =>
  hub.request('GET', `/k8s/clusters/${name}/api/v1/namespaces/default/configmaps/x`, undefined, {}, { timeoutMs });

/** Asks all of the given members in turn, many at once, and answers how long each took. */
async function load(hub: Hub, names: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      for (let i = 0; i < requestsPerLoop; i++) {
        const name = names[(loop * 7 + i) % names.length]!;
        const startedAt = performance.now();
        const { code, text } = await ask(hub, name);
        times.push(performance.now() - startedAt);
        assert.deepEqual([code, text.includes(`"on":"${name}"`)], [200, true], text);
      }
    }),
  );
  return times.sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], q: number) => sorted[Math.floor((sorted.length - 1) * q)]!;

test('one member that hangs takes nothing from the others', { timeout: 240_000 }, async t => {
  await using hub = await startHub();
  const all = await Promise.all(Array.from({ length: members }, (_, i) => startMember(`member-${i}`)));
  t.after(() => {
    for (const { server } of all) {
      server.closeAllConnections();
      server.close();
    }
  });
  await eventually(async () => (await hub.request('GET', '/apis/drover.io/v1alpha1/clusters')).code === 200);
  for (const [i, member] of all.entries()) await join(hub, member, i);
  const [slow, ...healthy] = all;
  for (const { name } of all) await eventually(async () => (await ask(hub, name)).code === 200, Boolean, { timeoutMs: 30_000 });

  const names = healthy.map(({ name }) => name);
  await load(hub, names);
  const before = await load(hub, names);
  slow!.isHanging = true;
  const answers = new Map<number, number>();
  // Each has 64 connections at most.
  const askers = Array.from({ length: 5 }, () => new HttpTarget(hub.target.credentials));
  t.after(() => askers.forEach(asker => asker.close()));
  const stuck = Array.from({ length: mostRequests + 50 }, (_, i) =>
    ask(askers[i % askers.length]!, slow!.name, 200_000).then(
      ({ code }) => answers.set(code, (answers.get(code) ?? 0) + 1),
      () => {},
    ),
  );
  await eventually(() => (answers.get(429) ?? 0) + (answers.get(503) ?? 0) >= 50, Boolean, { timeoutMs: 60_000 });
  // The handshakes of those who are stuck are over then.
  await load(hub, names);
  const during = await load(hub, names);
  assert.ok(slow!.sockets.size <= mostRequests + 10, `${slow!.sockets.size} connections to the member that hangs`);
  assert.equal(answers.get(200), undefined);

  const line = (what: string, times: readonly number[]) =>
    `${what}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
  t.diagnostic(line('all 50 answer', before));
  t.diagnostic(line('1 of 50 hangs', during));

  slow!.isHanging = false;
  slow!.server.closeAllConnections();
  await eventually(async () => (await ask(hub, slow!.name)).code === 200, Boolean, { timeoutMs: 60_000 });
  await Promise.all(stuck);
});
