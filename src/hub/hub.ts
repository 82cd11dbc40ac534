import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startApiServer } from '../apiserver/api-server.ts';
import { ensurePki } from '../pki/ensure-pki.ts';
import { DataInUseError, openSqliteJournal } from '../store/sqlite-journal.ts';
import { Store } from '../store/store.ts';
import { log } from '../runtime/log.ts';
import { ensureAdmin } from './admin.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { releaseMemoryWhenQuiet } from './release-memory.ts';

export interface HubOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
}

export interface Hub {
  readonly url: string;
  readonly kubeconfig: string;
  /** Set on the very first start. */
  readonly newPassword: string | undefined;
  close(): Promise<void>;
}

/** Starts the hub over a folder of data, which it has to itself. */
export async function startHub({ dataDir, host, port }: HubOptions): Promise<Hub> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const opening = openSqliteJournal(join(dataDir, 'hub.db')).catch((error: unknown) => {
    if (error instanceof DataInUseError)
      throw new Error(`another hub is using "${dataDir}"; stop it first, or choose another folder with --data`);
    throw error;
  });
  // The file is opened by another thread; certificates are read meanwhile.
  opening.catch(() => {});
  const pki = ensurePki(join(dataDir, 'pki'), { hosts: host === '0.0.0.0' || host === '::' ? [] : [host] });
  const journal = await opening;
  const [store, admin] = await Promise.all([Store.open(journal), ensureAdmin(dataDir)]);
  const api = await startApiServer({
    store,
    pki,
    auditFile: join(dataDir, 'audit.log'),
    onError: (what, error) => log.warn('background work failed', { controller: what, err: error }),
  });
  const address = await api.listen(host, port).catch(async (error: NodeJS.ErrnoException) => {
    await api.close();
    await store.close();
    throw error.code === 'EADDRINUSE'
      ? new Error(`${host}:${port} is in use by another program; choose another address with --listen`)
      : error;
  });
  const memory = releaseMemoryWhenQuiet(store);
  const url = `https://${reachable(address.host)}:${address.port}`;
  const kubeconfig = join(dataDir, 'kubeconfig');
  writeKubeconfig(kubeconfig, { url, authority: pki.authority.certificate, certificate: pki.admin.certificate, key: pki.admin.key });
  return {
    url,
    kubeconfig,
    newPassword: admin.newPassword,
    async close() {
      memory[Symbol.dispose]();
      await api.close();
      await store.close();
    },
  };
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
