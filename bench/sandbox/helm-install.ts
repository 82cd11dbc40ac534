import path from 'node:path';
import { rigProgramPath } from '../../test/helpers/rig.ts';
import { runCommand } from '../../test/helpers/run-command.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';

export interface HelmTime {
  readonly seconds: number;
  /** What helm itself computed meanwhile, on all cores: no server can make it quicker than this on a machine with one. */
  readonly ownSeconds: number;
}

/** Bash tells the time that a program used, user and system, on its last line. */
const timed = `TIMEFORMAT='%U %S'; time "$0" "$@" 2>&1`;

/** Helm's starter chart, installed anew each time: how long `helm install --wait` takes, best of several. */
export async function helmInstallTime(kubeconfig: string, rounds: number): Promise<HelmTime> {
  using scratch = tempDir('bench-helm');
  const home = path.join(scratch.dir, 'home');
  const env = { KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const helm = async (...args: string[]): Promise<HelmTime> => {
    const startedAt = performance.now();
    const command = ['-c', timed, rigProgramPath('helm'), ...args];
    const { code, stdout, stderr } = await runCommand('bash', command, { env, cwd: scratch.dir, timeoutMs: 120_000 });
    if (code !== 0) throw new Error(`helm ${args.join(' ')} failed: ${stdout}${stderr}`);
    const [user = NaN, system = NaN] = stderr.trim().split(/\s+/).slice(-2).map(Number);
    return { seconds: (performance.now() - startedAt) / 1000, ownSeconds: user + system };
  };
  await helm('create', 'shop');
  const times: HelmTime[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await helm('install', `web-${round}`, 'shop', '--wait', '--timeout', '60s'));
    await helm('uninstall', `web-${round}`, '--wait');
  }
  return times.reduce((best, time) => (time.seconds < best.seconds ? time : best));
}
