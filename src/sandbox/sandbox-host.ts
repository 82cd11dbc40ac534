import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Pki } from '../pki/ensure-pki.ts';
import type { Keyspace, Keyspaces } from '../store/keyspaces.ts';
import { mapBounded } from '../util/map-bounded.ts';
import { HostedSandbox, type HostedSandboxDeps } from './hosted-sandbox.ts';
import type { Sandbox } from './sandbox.ts';
import { openCredentials } from './sandbox-credentials.ts';
import { newFacts, printFacts } from './sandbox-facts.ts';
import type { NodePlan } from './sandbox-nodes.ts';
import { startSandboxServer } from './sandbox-server.ts';
import { sharedBases } from './shared-bases.ts';

export interface SandboxHostOptions {
  readonly keyspaces: Keyspaces;
  /** Where the kubeconfigs of the sandboxes are written. */
  readonly dir: string;
  /** The sandboxes prove themselves by its serving certificate. Whom they let in is their own affair. */
  readonly pki: Pki;
  onError?(what: string, error: unknown): void;
}

export interface SandboxWish {
  readonly name: string;
  /** Default: nobody in particular. A sandbox of that name with another owner is replaced. */
  readonly owner?: string;
  readonly nodes?: NodePlan;
}

/** A sandbox as others see it. */
export interface SandboxInfo {
  readonly name: string;
  readonly owner: string;
  readonly url: string;
  /** The file that makes its holder administrator. */
  readonly kubeconfig: string;
  readonly isAwake: boolean;
}

/** Many sandbox clusters in one process. */
export interface SandboxHost extends AsyncDisposable {
  list(): SandboxInfo[];
  get(name: string): SandboxInfo | undefined;
  /** The cluster itself, loaded if need be. Rejects when there is no such sandbox. */
  open(name: string): Promise<Sandbox>;
  /** Creates the sandbox or makes it fit the wish. */
  ensure(wish: SandboxWish): Promise<SandboxInfo>;
  /** Ends a sandbox and forgets what it held. False when there is none. */
  remove(name: string): Promise<boolean>;
  /** Hears the names of sandboxes that came, went, or serve something else than before. */
  subscribe(listener: (name: string) => void): Disposable;
  /** Loads those that may have work left from an earlier run. */
  resume(): Promise<void>;
}

const oneNode: NodePlan = { count: 1, capacity: {} };
const atOnce = 8;
/** What every sandbox writes when it is born. */
const birthResources = ['/configmaps', '/nodes', 'coordination.k8s.io/leases'];

export async function startSandboxHost({ keyspaces, dir, pki, onError = () => {} }: SandboxHostOptions): Promise<SandboxHost> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const server = await startSandboxServer(pki, onError);
  const listeners = new Set<(name: string) => void>();
  const deps: HostedSandboxDeps = {
    keyspaces,
    server,
    bases: sharedBases(keyspaces, pki),
    pki,
    kubeconfigOf: name => join(dir, `${name}.kubeconfig`),
    onServing: tell,
    onError,
  };
  const sandboxes = new Map<string, HostedSandbox>();
  /** What is done to one sandbox is done in order. */
  const turns = new Map<string, Promise<unknown>>();
  const present = await keyspaces.list();
  await mapBounded(present, atOnce, restore);

  return {
    list: () => [...sandboxes.values()],
    get: name => sandboxes.get(name),
    open,
    ensure: wish => inTurn(wish.name, () => ensure(wish)),
    remove: name => inTurn(name, () => remove(name)),
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async resume() {
      const busy = new Set(await keyspaces.havingMoreThan(birthResources));
      const names = present.filter(({ id }) => busy.has(id)).map(({ name }) => name);
      await mapBounded(names, atOnce, name => open(name).catch((error: unknown) => onError('sandbox', error)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...turns.values()].map(turn => turn.catch(() => {})));
      await mapBounded([...sandboxes.values()], atOnce, sandbox => sandbox.close());
      await server.close();
      await keyspaces.close();
    },
  };

  async function restore(keyspace: Keyspace): Promise<void> {
    const sandbox = new HostedSandbox(deps, keyspace);
    sandboxes.set(sandbox.name, sandbox);
    try {
      await sandbox.listen();
      await sandbox.ensureKubeconfig();
    } catch (error) {
      onError(`sandbox "${sandbox.name}"`, error);
    }
  }

  async function open(name: string): Promise<Sandbox> {
    const sandbox = sandboxes.get(name);
    if (!sandbox) throw new Error(`there is no sandbox "${name}"`);
    return sandbox.wake();
  }

  async function ensure({ name, owner = '', nodes = oneNode }: SandboxWish): Promise<SandboxInfo> {
    const before = sandboxes.get(name);
    if (before && before.owner !== owner) await remove(name);
    const sandbox = sandboxes.get(name) ?? (await create(name, owner));
    await sandbox.listen();
    await sandbox.ensureKubeconfig();
    await sandbox.fit(nodes);
    return sandbox;
  }

  async function create(name: string, owner: string): Promise<HostedSandbox> {
    const base = await deps.bases.current();
    const now = new Date();
    const credentials = openCredentials('', now);
    // The port is found first, because it is part of what is remembered.
    const served = await server.serve(0, async () => (await open(name)).api);
    const facts = newFacts({ owner, port: served.port, base: base.digest }, now);
    const keyspace = await keyspaces.create(name, printFacts(facts), credentials.text).catch(async (error: unknown) => {
      await served.close();
      throw error;
    });
    const sandbox = new HostedSandbox(deps, keyspace);
    sandboxes.set(name, sandbox);
    await sandbox.adopt(served, credentials);
    tell(name);
    return sandbox;
  }

  async function remove(name: string): Promise<boolean> {
    const sandbox = sandboxes.get(name);
    if (!sandbox) return false;
    await sandbox.destroy();
    sandboxes.delete(name);
    tell(name);
    return true;
  }

  function tell(name: string): void {
    for (const listener of listeners) listener(name);
  }

  function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
    turns.set(name, turn);
    const forget = () => {
      if (turns.get(name) === turn) turns.delete(name);
    };
    turn.then(forget, forget);
    return turn;
  }
}
