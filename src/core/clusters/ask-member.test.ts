import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { askMember, type Agents, type AskOptions } from './ask-member.ts';

const ready = { request: async () => ({ status: 200, headers: {}, body: Readable.from(['ok']) }) } as unknown as KubeClient;

const agents = (state: ReturnType<Agents['state']>): Agents => ({ state: () => state, subscribe: () => ({ [Symbol.dispose]() {} }) });

function ask(mode: 'Direct' | 'Tunnel' | 'Sandbox', { status, ...options }: Partial<AskOptions> & { status?: Cluster['status'] } = {}) {
  const connection = mode === 'Direct' ? { mode, server: 'https://a' } : { mode };
  const cluster = { ...newObject(Cluster, { name: 'a', uid: 'u' }, { connection }), ...(status && { status }) };
  const signal = new AbortController().signal;
  return askMember({ cluster, client: () => ready, agents: undefined, since: Date.now(), signal, ...options });
}

const throwing = (error: Error) => () => {
  throw error;
};

test('a way that something is missing for is told apart from one that is closed for now', async () => {
  const missing = await ask('Direct', { client: throwing(new Error('there is no Secret "x/y"')) });
  assert.deepEqual(missing?.answer, { kind: 'no-credential', why: 'there is no Secret "x/y"' });
  const closed = await ask('Direct', { client: throwing(new UnreachableError('not now')) });
  assert.deepEqual(closed?.answer, { kind: 'silent', why: 'not now' });
});

test('a member without an agent is not asked', async () => {
  assert.equal((await ask('Tunnel', { agents: agents(undefined) }))?.answer.kind, 'no-agent');
  const gone = agents({ isConnected: false, agent: { version: '1' } });
  assert.equal((await ask('Tunnel', { agents: gone }))?.answer.kind, 'no-agent');
  const connected = agents({ isConnected: true, agent: { version: '1' } });
  assert.equal((await ask('Tunnel', { agents: connected }))?.answer.kind, 'ready');
});

test('agents that were there before the hub restarted have time to come back', async () => {
  const status = { lastSeen: '2026-01-01T00:00:00Z' };
  assert.equal(await ask('Tunnel', { agents: agents(undefined), status }), undefined);
  const late = await ask('Tunnel', { agents: agents(undefined), status, since: Date.now() - 60_000 });
  assert.equal(late?.answer.kind, 'no-agent');
});

test('a sandbox has the clock of the hub, and is not asked before it is there', async () => {
  assert.equal(await ask('Sandbox'), undefined);
  const probe = await ask('Sandbox', { status: { server: 'https://127.0.0.1:1' } });
  assert.equal(probe?.answer.kind, 'ready');
  assert.ok(Math.abs(probe!.memberTime! - Date.now()) < 60_000);
});
