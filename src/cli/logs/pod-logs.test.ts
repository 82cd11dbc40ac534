import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { httpClient } from '../../client/http-client.ts';
import { EndWith } from '../exit-codes.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { Terminal } from '../terminal.ts';
import { runPodLogs, type PodLogsRequest } from './pod-logs.ts';

const names = { shortNames: [], categories: [], verbs: ['get', 'list'], scope: 'Namespaced' } as const;
const resources = [
  { group: '', version: 'v1', resource: 'pods', singular: 'pod', kind: 'Pod', ...names },
  { group: 'apps', version: 'v1', resource: 'deployments', singular: 'deployment', kind: 'Deployment', ...names },
];
const pod = (name: string, ...containers: string[]) => ({
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { containers: containers.map(one => ({ name: one })) },
});
const deployment = {
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] } },
};
const missing = { kind: 'Status', code: 404, reason: 'NotFound', message: 'not there', details: { name: 'web', kind: 'deployments' } };

/** A member that answers paths with text or JSON. */
function member(cluster: string, answers: Record<string, object | string>, asked: string[] = []): ApiSource {
  const client = httpClient({
    async request({ path }) {
      asked.push(path);
      const answer = answers[path.split('?')[0]!];
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer ?? missing);
      return { status: answer === undefined ? 404 : 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
    },
    upgrade: () => Promise.reject(new Error('not here')),
    [Symbol.asyncDispose]: async () => {},
  });
  return { cluster, client, cache: { read: () => resources, write: () => {} } };
}

async function shown(sources: readonly ApiSource[], changes: Partial<PodLogsRequest> = {}): Promise<string> {
  let said = '';
  const write = (text: string) => void (said += text);
  const terminal: Terminal = {
    env: {},
    signal: new AbortController().signal,
    isInterrupted: false,
    isErrorTty: false,
    isOutputTty: true,
    out: write,
    err: write,
  };
  const request: PodLogsRequest = {
    sources,
    wanted: { by: 'name', pairs: [{ type: 'deployments', name: 'web' }] },
    query: { namespace: 'shop', allNamespaces: false, form: 'objects', chunkSize: 500 },
    container: undefined,
    allContainers: false,
    hasPrefix: false,
    follow: false,
    sinceMs: undefined,
    tail: undefined,
    timestamps: false,
    previous: false,
    ...changes,
  };
  try {
    await runPodLogs(request, terminal);
    return said;
  } catch (error) {
    return `${said}(${error instanceof EndWith ? error.exitCode : (error as Error).message})`;
  }
}

const withPods = (...pods: readonly object[]) => ({
  '/apis/apps/v1/namespaces/shop/deployments/web': deployment,
  '/api/v1/namespaces/shop/pods': { kind: 'PodList', items: pods },
});

test('what the pods of a workload say is shown with where it is said, on all members that have it', async () => {
  const asked: string[] = [];
  const log = (name: string) => `/api/v1/namespaces/shop/pods/${name}/log`;
  const east = member('east', { ...withPods(pod('a', 'web', 'side')), [log('a')]: 'one\n\n\u001b[31mtwo\u001b[2J\n' }, asked);
  const west = member('west', { ...withPods(pod('b', 'web')), [log('b')]: 'three' });
  assert.equal(
    await shown([east, west, member('north', {})], { tail: 3, sinceMs: 1500 }),
    '[east/pod/a/web] one\n[east/pod/a/web] \n[east/pod/a/web] \u001b[31mtwo\\u001b[2J\u001b[0m\n[west/pod/b/web] three\n',
  );
  assert.match(decodeURIComponent(asked[1]!), /labelSelector=app=web,tier\+in\+\(a,b\)/);
  assert.match(asked[2]!, /\/a\/log\?container=web&sinceSeconds=2&tailLines=3$/);
});

test('one pod alone needs no prefix, every container may be asked for, and nothing is an error', async () => {
  const answers = { ...withPods(pod('a', 'web', 'side')), '/api/v1/namespaces/shop/pods/a/log': 'hi\n' };
  assert.equal(await shown([member('east', answers)]), 'hi\n');
  assert.equal(await shown([member('east', answers)], { allContainers: true }), '[east/pod/a/web] hi\n[east/pod/a/side] hi\n');
  assert.equal(await shown([member('east', withPods())]), '(no pods are found)');
  assert.match(await shown([member('north', {})]), /^cluster "north": not there\n.*-C north" lists those there are\n\(1\)$/);
});

test('a log that cannot be read costs its lines and nothing else', async () => {
  const east = member('east', withPods(pod('a', 'web')));
  const west = member('west', { ...withPods(pod('b', 'web')), '/api/v1/namespaces/shop/pods/b/log': 'fine\n' });
  assert.match(await shown([east, west]), /^\[west\/pod\/b\/web\] fine\ncluster "east": .*\n(?:.*\n)?\(5\)$/);
});
