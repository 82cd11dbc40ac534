import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { httpClient } from '../../client/http-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { EndWith } from '../exit-codes.ts';
import { parseOutputFormat } from '../output/output-format.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { Terminal } from '../terminal.ts';
import { runWatch } from './run-watch.ts';

const resource = { group: '', version: 'v1', resource: 'pods', singular: 'pod', kind: 'Pod', scope: 'Namespaced' as const };
const pods = { ...resource, verbs: ['list', 'watch'], shortNames: [], categories: [] };
const columnDefinitions = [
  { name: 'Name', type: 'string', format: 'name' },
  { name: 'Phase', type: 'string' },
];

const table = (resourceVersion: string, hasColumns: boolean, ...rows: string[][]) => ({
  kind: 'Table',
  metadata: { resourceVersion },
  columnDefinitions: hasColumns ? columnDefinitions : [],
  rows: rows.map(cells => ({ cells, object: { metadata: { name: cells[0], resourceVersion } } })),
});
const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;

type Answer = string | Error | { status: number; body: object };

/** A member that gives one answer after the other, and then never answers again. */
function member(cluster: string | undefined, asked: string[], ...answers: Answer[]): ApiSource {
  const client = httpClient({
    async request({ path, signal }) {
      asked.push(path);
      const answer = answers.shift();
      if (answer === undefined)
        return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason), { once: true }));
      if (answer instanceof Error) throw answer;
      const { status, text } =
        typeof answer === 'string' ? { status: 200, text: answer } : { status: answer.status, text: JSON.stringify(answer.body) };
      return { status, headers: {}, body: Readable.from([Buffer.from(text)]) };
    },
    upgrade: () => Promise.reject(new Error('not here')),
    [Symbol.asyncDispose]: async () => {},
  });
  return { cluster, client, cache: { read: () => [pods], write: () => {} } };
}

/** Watches until so much has been printed, or until it ends by itself. */
async function watched(
  sources: ApiSource[],
  until: number | RegExp,
  changesOnly = false,
  isOutputTty = false,
): Promise<{ out: string; err: string; code: number | undefined }> {
  const ended = new AbortController();
  const said = { out: '', err: '', code: undefined as number | undefined };
  const terminal: Terminal = {
    env: {},
    signal: ended.signal,
    isInterrupted: false,
    isErrorTty: false,
    isOutputTty,
    out(text) {
      said.out += text;
      const isEnough = typeof until === 'number' ? said.out.split('\n').length > until : until.test(said.out);
      if (isEnough) ended.abort(new Error('enough'));
    },
    err: text => void (said.err += text),
  };
  const request = {
    sources,
    wanted: { by: 'type' as const, types: ['pods'] },
    query: { namespace: 'default', allNamespaces: false, form: 'table' as const, chunkSize: 500 },
    format: parseOutputFormat(''),
    table: { allNamespaces: false, wide: false, noHeaders: false, showKind: false, showLabels: false, labelColumns: [] },
    ignoreNotFound: false,
    timeoutMs: 1000,
    changesOnly,
    withEvents: false,
  };
  await runWatch(request, terminal, () => 0).catch((error: unknown) => {
    if (error instanceof EndWith) said.code = error.exitCode;
    else if (!ended.signal.aborted) throw error;
  });
  return said;
}

const list = JSON.stringify(table('5', true, ['a', 'Up']));

test('changes follow what is there, also when their columns are left out', async () => {
  const asked: string[] = [];
  const source = member(
    'east',
    asked,
    list,
    event('MODIFIED', table('6', true, ['a', 'Down'])) + event('ADDED', table('7', false, ['b', 'Up'])),
  );
  const { out } = await watched([source], 4);
  assert.equal(out, 'NAME   CLUSTER   PHASE\na      east      Up\na      east      Down\nb      east      Up\n');
  assert.match(asked[1]!, /resourceVersion=5/);
});

test('where a person looks on, the table is drawn over itself and has what is there now', async () => {
  const source = member(
    undefined,
    [],
    list,
    event('ADDED', table('6', true, ['b', 'Up'])) + event('DELETED', table('7', false, ['a', 'Up'])),
  );
  const { out } = await watched([source], /PHASE\n\u001b\[2Kb/, false, true);
  assert.match(out, /\u001b\[2KNAME {3}PHASE\n\u001b\[2Kb {6}Up\n\u001b\[0J$/);
  assert.ok(!/Up\n\u001b\[2KNAME/.test(out), 'never below itself');
});

test('a watch that the server ends goes on where it was', async () => {
  const asked: string[] = [];
  const source = member(undefined, asked, list, event('BOOKMARK', table('9', false)), event('ADDED', table('10', false, ['b', 'Up'])));
  const { out } = await watched([source], 3);
  assert.equal(out, 'NAME   PHASE\na      Up\nb      Up\n');
  assert.match(asked[2]!, /resourceVersion=9/);
});

test('when the past is gone, what is there is shown again', async () => {
  const gone = event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
  const { out } = await watched([member(undefined, [], list, gone, list)], 3);
  assert.equal(out, 'NAME   PHASE\na      Up\na      Up\n');
});

test('a member that is lost is told once and asked until it is back', async () => {
  const lost = new UnreachableError('cannot reach it');
  const unavailable = { status: 503, body: { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'not connected' } };
  const source = member('east', [], list, lost, unavailable, lost, JSON.stringify(table('8', true, ['a', 'Back'])));
  assert.deepEqual(await watched([source], 3), {
    out: 'NAME   CLUSTER   PHASE\na      east      Up\na      east      Back\n',
    err: 'cluster "east": cannot reach it\n',
    code: undefined,
  });
});

test('a member that refuses is left alone; when all do, that is the end', async () => {
  const forbidden = { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } };
  const { err, code } = await watched([member('east', [], forbidden), member('west', [], forbidden)], 9);
  assert.equal(err, 'cluster "east": no\ncluster "west": no\n');
  assert.equal(code, 1);
});

test('only changes, when only those are wanted', async () => {
  const { out } = await watched([member('east', [], list, event('ADDED', table('7', false, ['b', 'Up'])))], 2, true);
  assert.equal(out, 'NAME   CLUSTER   PHASE\nb      east      Up\n');
});
