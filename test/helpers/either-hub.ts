import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { startHub, type Hub } from './hub.ts';
import { HttpTarget } from './http-target.ts';
import { Program } from './program.ts';
import { printKubeconfig, startEtcd, type Etcd } from './real-cluster.ts';
import { startRealMember } from './real-member.ts';
import { repositoryRoot } from './rig.ts';
import { tempDir } from './temp-dir.ts';

export const hubKinds = ['embedded', 'real kube-apiserver'] as const;
export type HubKind = (typeof hubKinds)[number];

/** For stories about what stands above the hub's API: `npm test` takes the embedded one, `npm run test:stories` both. */
export const hubKindsByTime: readonly HubKind[] = process.env['DROVER_GATE'] === 'true' ? ['embedded'] : hubKinds;

/** The same the other way round, for a few, so that the gate has seen both. */
export const otherHubKindByTime: readonly HubKind[] = process.env['DROVER_GATE'] === 'true' ? ['real kube-apiserver'] : hubKinds;

/** A hub with its gateway, whichever API it has. */
export interface EitherHub extends AsyncDisposable {
  /** Of an administrator of the hub's API. */
  readonly kubeconfig: string;
  /** Where the gateway is. */
  readonly gateway: string;
  /** File of the authorities that vouch for the gateway. */
  readonly authorities: string;
  readonly program: Program;
  /** Kubeconfig of an administrator for the API of a member, through the gateway. */
  memberKubeconfig(cluster: string): string;
  /** Ends the hub without a word and starts it again on the same data, and on the same address unless told. */
  restart(options?: { isElsewhere?: boolean }): Promise<void>;
}

const adminToken = 'story-admin-token';

/** Starts a hub of either kind on data of its own. The etcd is for the real one, which brings its own when none is given. */
export function startEitherHub(
  kind: HubKind,
  etcd: Etcd | undefined,
  extraArgs: readonly string[] = [],
  env: HubEnvironment = {},
): Promise<EitherHub> {
  return kind === 'embedded' ? startEmbedded(extraArgs, env) : startWithRealApi(etcd, extraArgs, env);
}

type HubEnvironment = Readonly<Record<string, string>>;

async function startEmbedded(extraArgs: readonly string[], env: HubEnvironment): Promise<EitherHub> {
  const scratch = tempDir('either-hub');
  const dataDir = path.join(scratch.dir, 'data');
  let port = await freePort();
  let hub: Hub = await startHub({ dataDir, port, extraArgs, env });
  return {
    kubeconfig: hub.kubeconfig,
    get gateway() {
      return hub.server;
    },
    authorities: path.join(dataDir, 'pki/ca.crt'),
    get program() {
      return hub.program;
    },
    memberKubeconfig(cluster) {
      const { ca = '', certificate = '', key = '' } = hub.target.credentials;
      return writeConfig(scratch.dir, cluster, { server: `${hub.server}/k8s/clusters/${cluster}`, ca, certificate, key });
    },
    async restart({ isElsewhere = false } = {}) {
      hub.program.kill('SIGKILL');
      await hub.program.exited;
      await hub[Symbol.asyncDispose]();
      if (isElsewhere) port = await freePort();
      hub = await startHub({ dataDir, port, extraArgs, env });
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}

async function startWithRealApi(given: Etcd | undefined, extraArgs: readonly string[], env: HubEnvironment): Promise<EitherHub> {
  const scratch = tempDir('either-hub');
  const own = given ? undefined : await startEtcd();
  const api = await startRealMember(given ?? own!, { tokens: { [adminToken]: { user: 'story-admin', groups: ['system:masters'] } } });
  const dataDir = path.join(scratch.dir, 'data');
  let listen = `127.0.0.1:${await freePort()}`;
  const authorities = path.join(dataDir, 'pki/ca.crt');
  const start = async () => {
    const program = new Program({
      name: 'drover',
      command: path.join(repositoryRoot, 'node_modules/.bin/node'),
      args: [
        path.join(repositoryRoot, 'bin/drover.js'),
        'up',
        '--hub',
        api.kubeconfig,
        '--data',
        dataDir,
        '--listen',
        listen,
        ...extraArgs,
      ],
      logFile: path.join(scratch.dir, 'drover.log'),
      env,
      cwd: repositoryRoot,
    });
    await program.waitUntil(async () => {
      const probe = new HttpTarget({ server: `https://${listen}`, ca: readFileSync(authorities, 'utf8') });
      try {
        return (await probe.request('GET', '/readyz', undefined, {}, { timeoutMs: 2000 })).code === 200;
      } finally {
        probe.close();
      }
    });
    return program;
  };
  let program = await start();
  return {
    kubeconfig: api.kubeconfig,
    get gateway() {
      return `https://${listen}`;
    },
    authorities,
    get program() {
      return program;
    },
    memberKubeconfig(cluster) {
      const ca = readFileSync(authorities, 'utf8');
      return writeConfig(scratch.dir, cluster, { server: `https://${listen}/k8s/clusters/${cluster}`, ca, token: adminToken });
    },
    async restart({ isElsewhere = false } = {}) {
      program.kill('SIGKILL');
      await program.exited;
      if (isElsewhere) listen = `127.0.0.1:${await freePort()}`;
      program = await start();
    },
    async [Symbol.asyncDispose]() {
      await program.stop();
      await api[Symbol.asyncDispose]();
      await own?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}

function writeConfig(dir: string, name: string, facts: Parameters<typeof printKubeconfig>[0]): string {
  const file = path.join(dir, `${name}.kubeconfig`);
  writeFileSync(file, printKubeconfig(facts), { mode: 0o600 });
  return file;
}
