import { Readable } from 'node:stream';
import { UnreachableError, type Transport, type TransportRequest, type TransportResponse } from '../../src/client/transport.ts';

export interface FakeMemberOptions {
  /** A list of its pods, as it goes on the wire. None when absent. */
  readonly podList?: Buffer;
}

/** As much of an API server as a hub looks at in a member that nobody uses, inside the process of the agents. */
export function fakeMember(uid: string, { podList }: FakeMemberOptions = {}): Transport {
  const json = (value: object, status = 200): TransportResponse => ({
    status,
    headers: { 'content-type': 'application/json', date: new Date().toUTCString() },
    body: Readable.from([Buffer.from(JSON.stringify(value))], { objectMode: false }),
  });
  const notFound = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    message: 'not found',
  };
  const answers: Readonly<Record<string, object>> = {
    '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3', platform: 'linux/amd64' },
    '/api/v1/namespaces/kube-system': { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid } },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [{ name: 'nodes', kind: 'Node', namespaced: false, verbs: ['list'] }],
    },
  };

  function answer({ path, signal }: TransportRequest): TransportResponse {
    const [name = '', query = ''] = path.split('?', 2);
    if (query.includes('watch=')) return watch(signal);
    if (['/readyz', '/healthz', '/livez'].includes(name))
      return { ...json({}), body: Readable.from([Buffer.from('ok')], { objectMode: false }) };
    const known = answers[name];
    if (known) return json(known);
    if (podList && name === '/api/v1/pods') return { ...json({}), body: Readable.from([podList], { objectMode: false }) };
    if (/\/api\/v1(\/namespaces\/[^/]+)?\/(nodes|pods)$/.test(name))
      return json({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
    return json(notFound, 404);
  }

  function watch(signal: AbortSignal | undefined): TransportResponse {
    const body = new Readable({ read() {} });
    signal?.addEventListener('abort', () => body.destroy(), { once: true });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }

  return {
    request: async req => answer(req),
    upgrade: async () => {
      throw new UnreachableError('this member runs nothing');
    },
    async [Symbol.asyncDispose]() {},
  };
}
