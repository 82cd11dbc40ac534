import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { HttpTarget, readKubeconfig } from './http-target.ts';
import { Program } from './program.ts';
import { repositoryRoot } from './rig.ts';
import { tempDir } from './temp-dir.ts';

export interface Hub extends AsyncDisposable {
  readonly server: string;
  readonly dir: string;
  readonly kubeconfig: string;
  readonly target: HttpTarget;
  readonly request: HttpTarget['request'];
  readonly program: Program;
}

export interface HubOptions {
  /** Kept afterwards when given, so that a second hub can continue from it. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  readonly extraArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: as long as any program may take. */
  readonly readyWithinMs?: number;
}

/** Our own server as a child process, ready to answer. */
export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const { dataDir, port, host = '127.0.0.1', extraArgs = [], env = {}, readyWithinMs } = options;
  const scratch = tempDir('hub');
  const dir = dataDir ?? path.join(scratch.dir, 'data');
  mkdirSync(dir, { recursive: true });
  const listen = `${host}:${port ?? (await freePort())}`;
  const program = new Program({
    name: 'drover',
    command: path.join(repositoryRoot, 'node_modules/.bin/node'),
    args: [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--data', dir, '--listen', listen, ...extraArgs],
    logFile: path.join(scratch.dir, 'drover.log'),
    env,
    cwd: repositoryRoot,
  });
  const kubeconfig = path.join(dir, 'kubeconfig');
  const isReady = async (): Promise<boolean> => {
    if (!existsSync(kubeconfig)) return false;
    const probe = new HttpTarget({ ...readKubeconfig(kubeconfig), server: `https://${listen}` });
    try {
      return (await probe.request('GET', '/readyz', undefined, {}, { timeoutMs: 2000 })).code === 200;
    } finally {
      probe.close();
    }
  };
  try {
    await program.waitUntil(isReady, readyWithinMs === undefined ? {} : { timeoutMs: readyWithinMs });
  } catch (err) {
    await program.stop();
    scratch[Symbol.dispose]();
    throw err;
  }

  const target = new HttpTarget({ ...readKubeconfig(kubeconfig), server: `https://${listen}` });
  return {
    server: `https://${listen}`,
    dir,
    kubeconfig,
    target,
    request: target.request.bind(target),
    program,
    async [Symbol.asyncDispose]() {
      target.close();
      try {
        program.assertNotEndedUnasked();
      } finally {
        await program.stop();
        scratch[Symbol.dispose]();
      }
    },
  };
}
