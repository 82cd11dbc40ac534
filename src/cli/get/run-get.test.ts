import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { httpClient } from '../../client/http-client.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { UnreachableError } from '../../client/transport.ts';
import { EndWith } from '../exit-codes.ts';
import { parseOutputFormat } from '../output/output-format.ts';
import type { ApiSource } from '../resources/api-source.ts';
import { parseResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { runGet } from './run-get.ts';

type Answers = (req: TransportRequest) => Promise<{ status: number; body: unknown }>;

const pods = {
  group: '',
  version: 'v1',
  resource: 'pods',
  singular: 'pod',
  kind: 'Pod',
  scope: 'Namespaced' as const,
  verbs: ['list'],
  shortNames: [],
  categories: [],
};

function member(cluster: string, answer: Answers): ApiSource {
  const client = httpClient({
    async request(req) {
      const { status, body } = await answer(req);
      return { status, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
    },
    upgrade: () => Promise.reject(new Error('not here')),
    [Symbol.asyncDispose]: async () => {},
  });
  return { cluster, client, cache: { read: () => [pods], write: () => {} } };
}

const withPod =
  (name: string): Answers =>
  async () => ({
    status: 200,
    body: {
      kind: 'Table',
      columnDefinitions: [{ name: 'Name', type: 'string', format: 'name' }],
      rows: [{ cells: [name], object: { metadata: { name } } }],
    },
  });
const hanging: Answers = ({ signal }) =>
  new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason), { once: true }));
const refusing: Answers = async () => {
  throw new UnreachableError('cannot reach it');
};
const missing: Answers = async () => ({
  status: 404,
  body: { kind: 'Status', code: 404, reason: 'NotFound', message: 'pods "x" not found', details: { name: 'x', kind: 'pods' } },
});

async function got(sources: ApiSource[], words = ['pods'], timeoutMs = 30_000): Promise<{ out: string; err: string; code: number }> {
  const said = { out: '', err: '', code: 0 };
  const terminal: Terminal = {
    env: {},
    signal: new AbortController().signal,
    isInterrupted: false,
    isErrorTty: false,
    out: text => void (said.out += text),
    err: text => void (said.err += text),
  };
  await runGet(
    {
      sources,
      wanted: parseResourceArguments(words),
      query: { namespace: 'default', allNamespaces: false, form: 'table', chunkSize: 500 },
      format: parseOutputFormat(''),
      table: { allNamespaces: false, wide: false, noHeaders: false, showKind: false, showLabels: false, labelColumns: [] },
      ignoreNotFound: false,
      timeoutMs,
    },
    terminal,
  ).catch((error: unknown) => {
    if (!(error instanceof EndWith)) throw error;
    said.code = error.exitCode;
  });
  return said;
}

test('a member that hangs and one that refuses cost a line each; the others are shown', async () => {
  assert.deepEqual(
    await got([member('a', withPod('one')), member('b', hanging), member('c', refusing), member('d', withPod('two'))], ['pods'], 1_000),
    {
      out: 'NAME   CLUSTER\none    a\ntwo    d\n',
      err: 'cluster "b": no answer within 1 s\ncluster "c": cannot reach it\n',
      code: 5,
    },
  );
});

test('when none answers it is an error, not half a success', async () => {
  assert.equal((await got([member('a', refusing), member('b', refusing)])).code, 1);
  assert.equal((await got([member('a', refusing)])).code, 1);
});

test('that one member has no such object is an answer when another has it', async () => {
  assert.deepEqual(await got([member('a', missing), member('b', withPod('x'))], ['pods', 'x']), {
    out: 'NAME   CLUSTER\nx      b\n',
    err: '',
    code: 0,
  });
  assert.equal((await got([member('a', missing), member('b', missing)], ['pods', 'x'])).code, 1);
});

test('never more than so many members are asked at once', async () => {
  let running = 0;
  let most = 0;
  const slow: Answers = async req => {
    most = Math.max(most, ++running);
    await new Promise(resolve => setImmediate(resolve));
    running--;
    return withPod('x')(req);
  };
  const { out } = await got(Array.from({ length: 300 }, (_, i) => member(`m${i}`, slow)));
  assert.equal(out.split('\n').length, 302);
  assert.ok(most <= 32, String(most));
});
