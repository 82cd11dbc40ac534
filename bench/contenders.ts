import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../test/helpers/free-port.ts';
import { HttpTarget, readKubeconfig, type Credentials } from '../test/helpers/http-target.ts';
import { Program } from '../test/helpers/program.ts';
import { startEtcd, startRealApiServer } from '../test/helpers/real-cluster.ts';
import { repositoryRoot } from '../test/helpers/rig.ts';
import { residentBytes } from './process-use.ts';

/** A server that can be started again on the data it had. */
export interface Contender extends Disposable {
  start(): Promise<Running>;
}

export interface Running extends AsyncDisposable {
  readonly credentials: Credentials;
  /** From the start of the first process until /readyz answered 200. */
  readonly startMs: number;
  residentBytes(): number;
}

export function ours(): Contender {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-bench-'));
  const dataDir = path.join(dir, 'data');
  const kubeconfig = path.join(dataDir, 'kubeconfig');
  return {
    async start() {
      const listen = `127.0.0.1:${await freePort()}`;
      const startedAt = performance.now();
      const program = new Program({
        name: 'drover',
        command: process.execPath,
        args: [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--data', dataDir, '--listen', listen],
        logFile: path.join(dir, 'drover.log'),
        cwd: repositoryRoot,
      });
      const isReady = async (): Promise<boolean> => {
        if (!existsSync(kubeconfig)) return false;
        const probe = new HttpTarget({ ...readKubeconfig(kubeconfig), server: `https://${listen}` });
        try {
          return (await probe.request('GET', '/readyz')).code === 200;
        } finally {
          probe.close();
        }
      };
      await program.waitUntil(isReady, { everyMs: 10 });
      const startMs = performance.now() - startedAt;
      return {
        credentials: { ...readKubeconfig(kubeconfig), server: `https://${listen}` },
        startMs,
        residentBytes: () => residentBytes(program.pid),
        [Symbol.asyncDispose]: () => program.stop({ graceMs: 30_000 }),
      };
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** kube-apiserver and etcd, waiting for the disk as we do. */
export function peer(): Contender {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-bench-etcd-'));
  return {
    async start() {
      const startedAt = performance.now();
      await using running = new AsyncDisposableStack();
      const etcd = running.use(await startEtcd({ dataDir: path.join(dir, 'data'), durable: true }));
      const cluster = running.use(await startRealApiServer({ etcd, prefix: '/bench' }));
      const startMs = performance.now() - startedAt;
      const kept = running.move();
      return {
        credentials: readKubeconfig(cluster.kubeconfig),
        startMs,
        residentBytes: () => residentBytes(etcd.pid) + residentBytes(cluster.pid),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
