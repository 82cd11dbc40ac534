import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const sandboxes = ['sandbox-1', 'sandbox-2', 'sandbox-3'];
const kills = 3;
const writesBeforeKill = 150;
const configMaps = '/api/v1/namespaces/default/configmaps';

interface ConfigMapList {
  items: { metadata: { name: string; uid: string } }[];
}

test('what a sandbox acknowledged is there after the hub was killed', { timeout: 240_000 }, async t => {
  using scratch = tempDir('sandbox-kill');
  const acknowledged = new Map(sandboxes.map(name => [name, new Map<string, string>()]));
  let hub: Hub | undefined;
  t.after(() => hub?.[Symbol.asyncDispose]());
  for (let kill = 0; kill <= kills; kill++) {
    hub = await startHub({ dataDir: scratch.dir, extraArgs: ['--sandbox', String(sandboxes.length)] });
    for (const name of sandboxes) await judge(scratch.dir, name, acknowledged.get(name)!);
    if (kill === kills) break;
    const { program } = hub;
    let left = writesBeforeKill;
    const hear = () => {
      if (--left === 0) program.kill('SIGKILL');
    };
    await Promise.all(sandboxes.map(name => writeUntilKilled(scratch.dir, name, kill, acknowledged.get(name)!, hear)));
    await program.exited;
  }
});

const targetOf = (dir: string, name: string) => new HttpTarget(readKubeconfig(path.join(dir, 'sandboxes', `${name}.kubeconfig`)));

async function writeUntilKilled(
  dir: string,
  name: string,
  round: number,
  acknowledged: Map<string, string>,
  hear: () => void,
): Promise<void> {
  const target = targetOf(dir, name);
  try {
    for (let i = 0; ; i++) {
      const object = `w-${round}-${i}`;
      const answer = await target.request('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object } });
      assert.equal(answer.code, 201);
      acknowledged.set(object, answer.json<ConfigMapList['items'][number]>().metadata.uid);
      hear();
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  } finally {
    target.close();
  }
}

/** Everything acknowledged is there as it was. What was on its way may be there or not. */
async function judge(dir: string, name: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const found = await eventually(
    async () => {
      const target = targetOf(dir, name);
      try {
        return (await target.request('GET', configMaps)).json<ConfigMapList>();
      } finally {
        target.close();
      }
    },
    () => true,
    { timeoutMs: 60_000 },
  );
  const present = new Map(found.items.map(({ metadata }) => [metadata.name, metadata.uid]));
  for (const [object, uid] of acknowledged) assert.equal(present.get(object), uid, `${object} in ${name}`);
}
