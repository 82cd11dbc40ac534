import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { Secret } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import { informer } from '../../../runtime/informer.ts';
import { secretReader } from '../inputs/read-secrets.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { logFiles } from '../logs/log-files.ts';
import { runSecrets } from './run-secrets.ts';

const namespace = 'default';

async function start(t: TestContext) {
  const { client } = await startMemoryHub(t, [WorkflowRun]);
  const stop = new AbortController();
  const scratch = tempDir('run-secrets');
  t.after(() => {
    stop.abort();
    scratch[Symbol.dispose]();
  });
  const { signal } = stop;
  const runs = informer(client, WorkflowRun, { signal });
  await runs.synced;
  return {
    client,
    signal,
    secrets: runSecrets({ runs, inputs: { readSecrets: secretReader(client) }, logs: logFiles({ dir: scratch.dir }), signal }),
  };
}

test('a secret that was missing is found when somebody has made it, and what was found stays', async t => {
  const { client, signal, secrets } = await start(t);
  const variables = [{ name: 'token', secretRef: { name: 'vault', key: 'token' } }];
  const snapshot = { service: 's', environment: { variables: [] }, services: { s: { variables } } };
  const run = newObject(WorkflowRun, { namespace, name: 'r', uid: 'u' }, { workflowRef: { name: 'w' } });
  const known = { ...run, status: { snapshot } } as unknown as WorkflowRun;
  const write = (token: string) =>
    client.apply(Secret, { metadata: { namespace, name: 'vault' }, stringData: { token } } as Partial<Secret> as Secret, {
      fieldManager: 'test',
    });
  assert.equal((await secrets.of(known, signal)).size, 0);
  await write('first');
  assert.deepEqual([...(await secrets.of(known, signal)).values()], ['first']);
  await write('second');
  assert.deepEqual([...(await secrets.of(known, signal)).values()], ['first']);
});
