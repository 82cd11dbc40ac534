import { existsSync, readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../test/helpers/free-port.ts';
import { HttpTarget, readKubeconfig } from '../../test/helpers/http-target.ts';
import { Program } from '../../test/helpers/program.ts';
import { repositoryRoot } from '../../test/helpers/rig.ts';

export interface HubWithSandboxes extends AsyncDisposable {
  readonly pid: number;
  /** From the start of the process until every sandbox was called ready. */
  readonly startMs: number;
  readonly dataDir: string;
  /** Of the hub itself. */
  readonly kubeconfig: string;
  kubeconfigOf(sandbox: string): string;
}

interface ClusterLike {
  status?: { conditions?: { type: string; status: string }[] };
}

const isReady = ({ status }: ClusterLike) => status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True') === true;

/** `drover up --sandbox N` as people start it, on new data. */
export async function startHubWithSandboxes(
  count: number,
  timeoutMs: number,
  extraArgs: readonly string[] = [],
): Promise<HubWithSandboxes> {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-bench-sandbox-'));
  const dataDir = path.join(dir, 'data');
  const kubeconfig = path.join(dataDir, 'kubeconfig');
  const listen = `127.0.0.1:${await freePort()}`;
  const startedAt = performance.now();
  const program = new Program({
    name: 'drover',
    command: process.execPath,
    args: [
      path.join(repositoryRoot, 'bin/drover.js'),
      'up',
      '--data',
      dataDir,
      '--listen',
      listen,
      '--sandbox',
      String(count),
      ...extraArgs,
    ],
    logFile: path.join(dir, 'drover.log'),
    cwd: repositoryRoot,
  });
  let target: HttpTarget | undefined;
  const areReady = async (): Promise<boolean> => {
    if (!existsSync(kubeconfig) || readFileSync(kubeconfig).length === 0) return false;
    target ??= new HttpTarget({ ...readKubeconfig(kubeconfig), server: `https://${listen}` });
    // The last one first: looking at thousands costs the hub more than having them.
    const last = await target.request('GET', `/apis/drover.io/v1alpha1/clusters/sandbox-${count}`);
    if (last.code !== 200 || !isReady(last.json<ClusterLike>())) return false;
    const all = (await target.request('GET', '/apis/drover.io/v1alpha1/clusters')).json<{ items: ClusterLike[] }>().items;
    return all.length === count && all.every(isReady);
  };
  try {
    await program.waitUntil(areReady, { timeoutMs, everyMs: 500 });
  } finally {
    target?.close();
  }
  return {
    pid: program.pid,
    startMs: performance.now() - startedAt,
    dataDir,
    kubeconfig,
    kubeconfigOf: sandbox => path.join(dataDir, 'sandboxes', `${sandbox}.kubeconfig`),
    async [Symbol.asyncDispose]() {
      await program.stop({ graceMs: 60_000 });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
