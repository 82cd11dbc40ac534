import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Pod } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { jobWords, type Heard } from './pod-words.ts';

const job = { group: 'batch', version: 'v1', kind: 'Job', namespace: 'shop', name: 'migrate' };
const pod = { metadata: { name: 'migrate-1', namespace: 'shop', uid: 'u1' } } as Pod;

test('what the pods of a Job say is heard as they say it, each line once', async () => {
  const said: [time: string, text: string][] = [];
  const asked: string[] = [];
  /** As a kubelet: whole seconds count, and empty lines are lines. */
  const client = {
    list: async () => ({ items: [pod] }),
    request: async ({ path }: { path: string }) => {
      asked.push(path);
      const since = new URL(path, 'http://member').searchParams.get('sinceTime') ?? '';
      const lines = said.filter(([time]) => `${time.slice(0, 19)}Z` >= since).map(([time, text]) => `${time} ${text}\n`);
      return { status: 200, body: Readable.from([Buffer.from(lines.join(''))]) };
    },
  } as unknown as KubeClient;
  const heard: Heard = new Map();
  const hear = async () => {
    const lines = await jobWords({ client } as Member, [job, { ...job, kind: 'Deployment' }], new AbortController().signal, heard);
    return lines.map(({ message }) => message);
  };
  assert.deepEqual(await hear(), []);
  said.push(['2026-11-17T12:00:00.100000000Z', 'begins'], ['2026-11-17T12:00:00.200000000Z', 'step 1 of 2']);
  assert.deepEqual(await hear(), ['begins', 'step 1 of 2']);
  assert.deepEqual(await hear(), []);
  said.push(['2026-11-17T12:00:00.300000000Z', ''], ['2026-11-17T12:00:07.000000000Z', 'step 2 of 2']);
  assert.deepEqual(await hear(), ['step 2 of 2']);
  assert.match(asked.at(-1)!, /\/pods\/migrate-1\/log\?tailLines=1000&timestamps=true&sinceTime=2026-11-17T12:00:00Z$/);
  // Whoever comes anew hears it all.
  heard.clear();
  assert.deepEqual(await hear(), ['begins', 'step 1 of 2', 'step 2 of 2']);
});
