import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { HttpTarget, readKubeconfig, type Answer } from './http-target.ts';
import { Program } from './program.ts';
import { repositoryRoot } from './rig.ts';
import { tempDir } from './temp-dir.ts';

export interface ExternalHub extends AsyncDisposable {
  /** Of the gateway. */
  readonly server: string;
  readonly program: Program;
  /** As nobody, or as the holder of a token. */
  request(urlPath: string, token?: string): Promise<Answer>;
  /** With the certificate of the kubeconfig. */
  requestAsAdmin(urlPath: string): Promise<Answer>;
}

export interface ExternalHubOptions {
  /** Of the API server that is the hub. */
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** Default: a free port. */
  readonly listen?: string;
  readonly extraArgs?: readonly string[];
}

/** Our controllers and gateway as a child process, with a real API server as the hub. */
export async function startExternalHub({ kubeconfig, dataDir, extraArgs = [], listen: wanted }: ExternalHubOptions): Promise<ExternalHub> {
  const scratch = tempDir('external-hub');
  const listen = wanted ?? `127.0.0.1:${await freePort()}`;
  const program = new Program({
    name: 'drover',
    command: path.join(repositoryRoot, 'node_modules/.bin/node'),
    args: [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--hub', kubeconfig, '--data', dataDir, '--listen', listen, ...extraArgs],
    logFile: path.join(scratch.dir, 'drover.log'),
    cwd: repositoryRoot,
  });
  try {
    await program.waitUntil(async () => readFileSync(program.logFile, 'utf8').includes('Drover hub ready'), { timeoutMs: 60_000 });
  } catch (error) {
    await program.stop();
    scratch[Symbol.dispose]();
    throw error;
  }
  const address = { server: `https://${listen}`, ca: readFileSync(path.join(dataDir, 'pki/ca.crt'), 'utf8') };
  const target = new HttpTarget(address);
  const admin = new HttpTarget({ ...readKubeconfig(kubeconfig), ...address });
  return {
    server: address.server,
    program,
    request: (urlPath, token) => target.request('GET', urlPath, undefined, token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    requestAsAdmin: urlPath => admin.request('GET', urlPath),
    async [Symbol.asyncDispose]() {
      target.close();
      admin.close();
      await program.stop();
      scratch[Symbol.dispose]();
    },
  };
}
