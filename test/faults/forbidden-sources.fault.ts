import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { kubectlFor } from '../helpers/kubectl.ts';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub } from '../helpers/hub.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

interface Condition {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

describe('sources that lead to where nobody may go', { skip: missingRig('kubectl') ?? false, timeout: 180_000 }, () => {
  test('are asked nothing, whatever form they have', async () => {
    await using stack = new AsyncDisposableStack();
    const scratch = stack.use(scratchDir('forbidden-sources'));
    const mark = path.join(scratch.dir, 'mark');
    const port = await freePort();
    const heard: string[] = [];
    for (const host of ['127.0.0.1', '127.0.0.2', '::1']) await listen(host);
    const hub = stack.use(await startHub({ dataDir: path.join(scratch.dir, 'data') }));
    const kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    await drover.expect('sandbox create east --wait');
    const namespace = await drover.expect('get cluster east -o jsonpath={.status.id}');

    const hosts = [
      '127.0.0.1',
      '127.0.0.2',
      'localhost',
      'localhost.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '0177.0.0.1',
      '2130706433',
      '0x7f000001',
      '127.1',
      '0.0.0.0',
    ];
    const places = hosts.map(host => `${host}:${port}`);
    const repositories = [
      ...places.flatMap(place => [
        `https://${place}/charts`,
        `http://${place}/charts`,
        `oci://${place}/charts`,
        `git+https://${place}/app.git`,
        `git+ssh://git@${place}/app.git`,
      ]),
      `https://169.254.169.254/latest`,
      `git+ext::sh -c "touch ${mark}"`,
      `git+ssh://-oProxyCommand=touch${mark}@localhost/x`,
      `git+https://localhost/--upload-pack=touch`,
      `git+https://localhost/x\n--upload-pack=touch ${mark}`,
      `file://${scratch.dir}`,
      `git+file://${scratch.dir}`,
    ];
    const works = repositories.map((repository, i) => ({
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name: `work-${i}`, namespace },
      spec: { release: { name: `work-${i}`, namespace: 'shop' }, chart: { repository, name: 'web' } },
    }));
    await kubectl.expect('create -f -', { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: works }) });

    const judged = await eventually(
      async () => {
        const { items } = JSON.parse(await kubectl.expect(`get works -n ${namespace} -o json`)) as {
          items: { status?: { conditions?: Condition[] } }[];
        };
        return items.map(({ status }) => status?.conditions?.find(one => one.type === 'Ready'));
      },
      all => all.length === works.length && all.every(one => one?.reason === 'SourceFailed'),
      { timeoutMs: 90_000, everyMs: 500, what: 'the failure of every Work' },
    );
    for (const said of judged)
      assert.match(said!.message, /refused to ask|is no address of the form|is no source|there is no host "localhost/);
    assert.deepEqual(heard, [], 'nobody was connected to');
    assert.equal(existsSync(mark), false);
    assert.deepEqual(childrenOf(hub.program.pid), [], 'no program was started');

    async function listen(host: string): Promise<void> {
      const server = createServer(socket => {
        heard.push(host);
        socket.destroy();
      });
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)).catch(() => {});
      stack.defer(() => void server.close());
    }
  });
});

/** The command lines of programs that a process has started and that still run. */
function childrenOf(pid: number | undefined): string[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^[0-9]+$/.test(name)) return [];
    try {
      const [, parent] = /\) \S ([0-9]+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      return Number(parent) === pid ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : [];
    } catch {
      return [];
    }
  });
}
