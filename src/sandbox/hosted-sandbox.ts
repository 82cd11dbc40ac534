import { existsSync, rmSync } from 'node:fs';
import { printKubeconfig } from '../hub/kubeconfig.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import type { Keyspace, Keyspaces } from '../store/keyspaces.ts';
import { Store } from '../store/store.ts';
import { writeFileAtomically } from '../util/write-file-atomic.ts';
import { startSandbox, type Sandbox } from './sandbox.ts';
import { openCredentials, type SandboxCredentials } from './sandbox-credentials.ts';
import { birthOf, parseFacts, printFacts, type SandboxFacts } from './sandbox-facts.ts';
import { applyNodePlan, type NodePlan } from './sandbox-nodes.ts';
import type { SandboxServer, ServedPort } from './sandbox-server.ts';
import { bootstrapResources } from './shared-base.ts';
import type { SharedBases } from './shared-bases.ts';

export interface HostedSandboxDeps {
  readonly keyspaces: Keyspaces;
  readonly server: SandboxServer;
  readonly bases: SharedBases;
  /** Of the process: the sandboxes prove themselves by its serving certificate. */
  readonly pki: Pki;
  kubeconfigOf(name: string): string;
  /** Hears that a sandbox serves something else than before. */
  onServing(name: string): void;
  onError(what: string, error: unknown): void;
}

const servingResources = new Set(['customresourcedefinitions', 'apiservices']);
const announceMs = 1_000;

/** One sandbox of a host: always reachable, in memory only once somebody has asked it something. */
export class HostedSandbox {
  readonly name: string;
  readonly #deps: HostedSandboxDeps;
  readonly #keyspace: number;
  #facts: SandboxFacts;
  #served: ServedPort | undefined;
  #awake: Promise<Sandbox> | undefined;
  #isClosed = false;
  /** Spares a new sandbox to read again what was just made. */
  #fresh: SandboxCredentials | undefined;

  constructor(deps: HostedSandboxDeps, { id, name, facts }: Keyspace) {
    this.name = name;
    this.#deps = deps;
    this.#keyspace = id;
    this.#facts = parseFacts(facts);
  }

  get owner(): string {
    return this.#facts.owner;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#facts.port}`;
  }

  get kubeconfig(): string {
    return this.#deps.kubeconfigOf(this.name);
  }

  get isAwake(): boolean {
    return this.#awake !== undefined;
  }

  /** Listens on the port it had, or on another one when that is taken meanwhile. */
  async listen(): Promise<void> {
    if (this.#served) return;
    const { server, onError } = this.#deps;
    const serve = (port: number) => server.serve(port, async () => (await this.wake()).api);
    this.#served = await serve(this.#facts.port).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      onError(`sandbox "${this.name}" moves to another port`, error);
      return serve(0);
    });
    await this.#remember({ ...this.#facts, port: this.#served.port });
  }

  /** Takes over, when it is new, what was made for it. */
  async adopt(served: ServedPort, credentials: SandboxCredentials): Promise<void> {
    this.#served = served;
    this.#fresh = credentials;
    await this.#writeKubeconfig(credentials);
  }

  /** Loads the cluster, unless it is there. */
  wake(): Promise<Sandbox> {
    if (this.#isClosed) return Promise.reject(new Error(`sandbox "${this.name}" is gone`));
    this.#awake ??= this.#start().catch((error: unknown) => {
      this.#awake = undefined;
      throw new Error(`cannot start sandbox "${this.name}"`, { cause: error });
    });
    return this.#awake;
  }

  async #start(): Promise<Sandbox> {
    const { keyspaces, bases, pki, onError } = this.#deps;
    const credentials = this.#fresh ?? (await this.#credentials());
    this.#fresh = undefined;
    const base = { objects: await bases.find(this.#facts.base), birth: birthOf(this.#facts) };
    const store = await Store.open(keyspaces.journal(this.#keyspace), { base });
    const { digest } = await bases.current();
    const isBootstrapped = digest === this.#facts.base && !bootstrapResources.some(resource => store.written.has(resource));
    const sandbox = await startSandbox({
      store,
      pki: { ...pki, ...credentials },
      rootCa: pki.authority.certificate,
      isBootstrapped,
      onError: (what, error) => onError(`sandbox "${this.name}": ${what}`, error),
    });
    this.#announceServing(sandbox);
    return sandbox;
  }

  /** Once for many definitions that come together, and when the catalog has followed them. */
  #announceServing({ api }: Sandbox): void {
    let timer: NodeJS.Timeout | undefined;
    api.cluster.subscribe(({ resource }) => {
      if (!servingResources.has(resource.resource) || timer) return;
      timer = setTimeout(() => {
        timer = undefined;
        this.#deps.onServing(this.name);
      }, announceMs).unref();
    });
  }

  async #credentials(): Promise<SandboxCredentials> {
    const { keyspaces } = this.#deps;
    const before = await keyspaces.secrets(this.#keyspace);
    const credentials = openCredentials(before, new Date());
    if (credentials.text !== before) {
      await keyspaces.rewrite(this.#keyspace, printFacts(this.#facts), credentials.text);
      await this.#writeKubeconfig(credentials);
    }
    return credentials;
  }

  /** Writes the kubeconfig, unless it is there. */
  async ensureKubeconfig(): Promise<void> {
    if (!existsSync(this.kubeconfig)) await this.#writeKubeconfig(await this.#credentials());
  }

  async #writeKubeconfig({ admin }: SandboxCredentials): Promise<void> {
    const authority = this.#deps.pki.authority.certificate;
    const text = printKubeconfig({ url: this.url, authority, ...admin, name: this.name, user: `${this.name}-admin` });
    await writeFileAtomically(this.kubeconfig, text, 0o600);
  }

  /** Gives the cluster the nodes that were asked for; those it had before make way. */
  async fit(nodes: NodePlan): Promise<void> {
    const { api } = await this.wake();
    await applyNodePlan(api.cluster, this.#facts.nodes, nodes);
    await this.#remember({ ...this.#facts, nodes });
  }

  async #remember(facts: SandboxFacts): Promise<void> {
    const text = printFacts(facts);
    if (text === printFacts(this.#facts)) return;
    const hasMoved = facts.port !== this.#facts.port;
    await this.#deps.keyspaces.rewrite(this.#keyspace, text, await this.#deps.keyspaces.secrets(this.#keyspace));
    this.#facts = facts;
    if (hasMoved) rmSync(this.kubeconfig, { force: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const sandbox = await this.#awake?.catch(() => undefined);
    sandbox?.endStreams();
    await this.#served?.close();
    await sandbox?.close();
  }

  /** Ends the cluster and everything it held. */
  async destroy(): Promise<void> {
    await this.close();
    await this.#deps.keyspaces.drop(this.#keyspace);
    rmSync(this.kubeconfig, { force: true });
  }
}
