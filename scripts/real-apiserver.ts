import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';

/** A real kube-apiserver with its etcd, for as long as it is not disposed. */
export interface RealApiserver extends AsyncDisposable {
  fetchJson(path: string, accept?: string): Promise<unknown>;
}

/** Starts the pinned programs of the rig from the cache of binaries on free ports of the loopback. */
export async function startRealApiserver(version = 'v1.36.3'): Promise<RealApiserver> {
  const bin = process.env['DROVER_BIN'] ?? join(homedir(), '.cache/drover/bin');
  const dir = mkdtempSync(join(tmpdir(), 'drover-facts-'));
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const key = execFileSync('openssl', ['genrsa', '2048'], { stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(dir, 'sa.key'), key);
  writeFileSync(join(dir, 'tokens.csv'), 'facts,admin,admin,system:masters\n');
  const children: ChildProcess[] = [];
  const run = (program: string, args: string[]) => {
    const log = openSync(join(dir, `${program}.log`), 'w');
    children.push(spawn(join(bin, program), args, { cwd: dir, stdio: ['ignore', log, log] }));
  };

  run('etcd@v3.6.8', [
    '--data-dir=etcd',
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  ]);
  run(`kube-apiserver@${version}`, [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--cert-dir=certs',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--service-account-key-file=sa.key',
    '--service-account-signing-key-file=sa.key',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/16',
  ]);

  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const get = (path: string, accept: string) =>
    fetch(`https://127.0.0.1:${port}${path}`, { dispatcher, headers: { authorization: 'Bearer facts', accept } });

  for (let attempt = 0; ; attempt++) {
    const ready = await get('/readyz', '*/*').catch(() => undefined);
    if (ready?.ok) break;
    if (attempt === 120) throw new Error(`kube-apiserver is not ready, see the logs in "${dir}"`);
    await new Promise(resolve => setTimeout(resolve, 500));
  }

  return {
    async fetchJson(path, accept = 'application/json') {
      const answer = await get(path, accept);
      if (!answer.ok) throw new Error(`cannot fetch "${path}": ${answer.status}`);
      return answer.json();
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await Promise.all(children.map(stop));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
