import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../api/cluster.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { MemberDirectory } from '../core/clusters/member-directory.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import type { Informer } from '../runtime/informer.ts';
import { log } from '../runtime/log.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { sandboxMember } from './sandbox-member.ts';

export interface RunSandboxesOptions {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly members: Pick<MemberDirectory, 'register' | 'refresh'>;
  /** The sandboxes prove themselves by its serving certificate. */
  readonly pki: Pki;
  /** Where the sandboxes of this hub are kept. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the sandbox clusters of a hub. Nothing is loaded before there is one: most hubs have none. The host of them is closed when this is
 * disposed of, after the signal has fired.
 */
export function runSandboxes({ hub, clusters, members, pki, dir, signal }: RunSandboxesOptions): AsyncDisposable {
  let host: Promise<SandboxHost> | undefined;
  const file = join(dir, 'sandboxes.db');
  const start = () =>
    (host ??= startHost().catch((error: unknown) => {
      host = undefined;
      throw error;
    }));
  members.register('Sandbox', { open: ({ metadata }) => sandboxMember(start, metadata.name!) });
  const subscription = clusters.subscribe(({ object, old }) => {
    if (!isSandbox(object)) return;
    begin();
    // It was not asked how it is before it had an address; now it can be.
    if (object.status?.server !== old?.status?.server) members.refresh(object.metadata.name!);
  });
  clusters.synced.then(
    () => {
      if (existsSync(file) || clusters.list().some(isSandbox)) begin();
    },
    () => {},
  );

  return {
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      await (await host?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };

  function begin(): void {
    if (host || signal.aborted) return;
    start().catch((err: unknown) => log.error('cannot run sandbox clusters', { err }));
  }

  async function startHost(): Promise<SandboxHost> {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const [{ openSqliteKeyspaces }, { startSandboxHost }, { runSandboxController }] = await Promise.all([
      import('../store/sqlite-keyspaces.ts'),
      import('./sandbox-host.ts'),
      import('./sandbox-controller.ts'),
    ]);
    const started = await startSandboxHost({
      keyspaces: await openSqliteKeyspaces(file),
      dir,
      pki,
      onError: (what, err) => log.warn('sandbox is in trouble', { controller: what, err }),
    });
    started.subscribe(name => members.refresh(name));
    runSandboxController({ hub, clusters, host: started, signal });
    void started.resume();
    return started;
  }
}

const isSandbox = ({ spec }: Cluster): boolean => spec.connection.mode === 'Sandbox';
