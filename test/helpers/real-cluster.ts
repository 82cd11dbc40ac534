import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { TestCa, tokenSigningKeys } from './certificates.ts';
import { freePort } from './free-port.ts';
import { HttpTarget, readKubeconfig } from './http-target.ts';
import { Program, type ProgramOptions } from './program.ts';
import { rigProgramPath } from './rig.ts';
import { tempDir } from './temp-dir.ts';

export interface Etcd extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

export interface EtcdOptions {
  /** Kept afterwards when given, so that a second etcd can continue from it. */
  readonly dataDir?: string;
  /** Waits for the disk before a write is acknowledged, as in production. */
  readonly durable?: boolean;
}

/** One etcd may serve many API servers, each under its own prefix. */
export async function startEtcd({ dataDir, durable = false }: EtcdOptions = {}): Promise<Etcd> {
  const scratch = tempDir('etcd');
  const { dir } = scratch;
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const program = new Program({
    name: 'etcd',
    command: rigProgramPath('etcd'),
    logFile: path.join(dir, 'etcd.log'),
    args: [
      `--data-dir=${dataDir ?? `${dir}/data`}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      // A test's data need not survive the machine; without this every write waits for the disk.
      ...(durable ? [] : ['--unsafe-no-fsync']),
      '--log-level=warn',
    ],
  });
  await program.waitUntil(async () => (await fetch(`${url}/health`)).ok, { timeoutMs: 30_000 });
  return {
    url,
    pid: program.pid,
    async [Symbol.asyncDispose]() {
      await program.stop();
      scratch[Symbol.dispose]();
    },
  };
}

export interface RealCluster extends AsyncDisposable {
  readonly server: string;
  readonly pid: number;
  /** Kills the API server; everything else stays. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  revive(): Promise<void>;
  readonly dir: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly target: HttpTarget;
  readonly request: HttpTarget['request'];
  readonly auditLog: string | undefined;
  /** Also stops whatever was started with this cluster, newest first. */
  readonly attached: AsyncDisposableStack;
  readonly files: RealClusterFiles;
}

interface RealClusterFiles {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly tokenKey: string;
}

export interface RealApiServerOptions {
  readonly etcd: Etcd;
  readonly prefix?: string;
  readonly audit?: boolean;
  /** Bearer tokens besides the administrator's: token → user and groups. */
  readonly tokens?: Readonly<Record<string, { user: string; groups?: readonly string[] }>>;
  readonly extraArgs?: readonly string[];
}

/** A real kube-apiserver over the given etcd, ready to answer. */
export async function startRealApiServer({
  etcd,
  prefix,
  audit = false,
  tokens = {},
  extraArgs = [],
}: RealApiServerOptions): Promise<RealCluster> {
  const scratch = tempDir('real');
  const { dir } = scratch;
  const file = (name: string, content?: string): string => {
    const full = path.join(dir, name);
    if (content !== undefined) writeFileSync(full, content, { mode: 0o600 });
    return full;
  };
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;

  const ca = await TestCa.create('drover-rig');
  const frontCa = await TestCa.create('drover-rig-front-proxy');
  const serving = await ca.issue('kube-apiserver', {
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'],
    ips: ['127.0.0.1', '10.0.0.1'],
  });
  const admin = await ca.issue('admin', { organizations: ['system:masters'] });
  const front = await frontCa.issue('front-proxy-client');
  const signing = tokenSigningKeys();
  const files: RealClusterFiles = {
    caCertificate: file('ca.crt', ca.certificate),
    caKey: file('ca.key', ca.key),
    tokenKey: file('sa.key', signing.privateKey),
  };
  const adminToken = `admin-${crypto.randomUUID()}`;
  const lines = Object.entries(tokens).map(([token, { user, groups = [] }]) => `${token},${user},${user},"${groups.join(',')}"`);

  const auditLog = audit ? file('audit.jsonl') : undefined;
  const auditArgs = auditLog
    ? [
        `--audit-log-path=${auditLog}`,
        `--audit-policy-file=${file('audit-policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n')}`,
      ]
    : [];
  const programOptions: ProgramOptions = {
    name: 'kube-apiserver',
    command: rigProgramPath('kube-apiserver'),
    logFile: file('kube-apiserver.log'),
    args: [
      `--etcd-servers=${etcd.url}`,
      `--etcd-prefix=${prefix ?? '/' + path.basename(dir)}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--cert-dir=${dir}/certs`,
      `--tls-cert-file=${file('serving.crt', serving.certificate)}`,
      `--tls-private-key-file=${file('serving.key', serving.key)}`,
      `--client-ca-file=${files.caCertificate}`,
      `--token-auth-file=${file('tokens.csv', [`${adminToken},admin,admin,"system:masters"`, ...lines].join('\n') + '\n')}`,
      '--authorization-mode=Node,RBAC',
      `--service-account-key-file=${file('sa.pub', signing.publicKey)}`,
      `--service-account-signing-key-file=${files.tokenKey}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--allow-privileged',
      `--requestheader-client-ca-file=${file('front-ca.crt', frontCa.certificate)}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${file('front.crt', front.certificate)}`,
      `--proxy-client-key-file=${file('front.key', front.key)}`,
      ...auditArgs,
      ...extraArgs,
    ],
  };
  let program = new Program(programOptions);
  const untilReady = () => program.waitUntil(async () => (await target.request('GET', '/readyz')).code === 200, { timeoutMs: 90_000 });
  const kubeconfig = file('kubeconfig', printKubeconfig({ server, ca: ca.certificate, certificate: admin.certificate, key: admin.key }));
  const target = new HttpTarget(readKubeconfig(kubeconfig));
  const attached = new AsyncDisposableStack();
  const cluster: RealCluster = {
    server,
    get pid() {
      return program.pid;
    },
    async kill() {
      program.kill('SIGKILL');
      await program.exited;
    },
    async revive() {
      program = new Program(programOptions);
      await untilReady();
    },
    dir,
    kubeconfig,
    target,
    request: target.request.bind(target),
    auditLog,
    attached,
    files,
    async [Symbol.asyncDispose]() {
      await attached.disposeAsync();
      target.close();
      await program.stop();
      scratch[Symbol.dispose]();
    },
  };
  try {
    await untilReady();
  } catch (err) {
    await cluster[Symbol.asyncDispose]();
    throw err;
  }
  return cluster;
}

/** The controllers without which namespaces, deletion and roles do not work; those of the hub run inside it. */
export const hubControllers = [
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'clusterrole-aggregation-controller',
];

export interface ControllerManagerOptions {
  /** Names of the controllers to run; all by default. */
  readonly controllers?: readonly string[];
  readonly extraArgs?: readonly string[];
  /** Run against another server than the cluster's own, for instance a hub. */
  readonly kubeconfig?: string;
}

/** What the programs around an API server need of it: a real one has it, and so can a hub. */
export type ControlledCluster = Pick<RealCluster, 'dir' | 'kubeconfig' | 'files' | 'attached'>;

export async function startControllerManager(cluster: ControlledCluster, options: ControllerManagerOptions = {}): Promise<Program> {
  const port = await freePort();
  const kubeconfig = options.kubeconfig ?? cluster.kubeconfig;
  const program = new Program({
    name: 'kube-controller-manager',
    command: rigProgramPath('kube-controller-manager'),
    logFile: path.join(cluster.dir, 'kube-controller-manager.log'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${cluster.dir}/certs-kcm`,
      `--service-account-private-key-file=${cluster.files.tokenKey}`,
      `--root-ca-file=${cluster.files.caCertificate}`,
      `--cluster-signing-cert-file=${cluster.files.caCertificate}`,
      `--cluster-signing-key-file=${cluster.files.caKey}`,
      '--use-service-account-credentials=true',
      `--controllers=${options.controllers?.join(',') ?? '*'}`,
      ...(options.extraArgs ?? []),
    ],
  });
  cluster.attached.use(program);
  await waitForHealth(program, port);
  return program;
}

export async function startScheduler(cluster: ControlledCluster, { kubeconfig = cluster.kubeconfig } = {}): Promise<Program> {
  const port = await freePort();
  const program = new Program({
    name: 'kube-scheduler',
    command: rigProgramPath('kube-scheduler'),
    logFile: path.join(cluster.dir, 'kube-scheduler.log'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${cluster.dir}/certs-scheduler`,
    ],
  });
  cluster.attached.use(program);
  await waitForHealth(program, port);
  return program;
}

/** A folder for programs that run against a cluster which is not a RealCluster. */
export const scratchDir = tempDir;

export interface KubeconfigFacts {
  readonly server: string;
  readonly ca: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

export function printKubeconfig({ server, ca, certificate, key, token }: KubeconfigFacts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const user = {
    ...(token ? { token } : {}),
    ...(certificate && key ? { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } : {}),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'rig',
    clusters: [{ name: 'rig', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'rig', user }],
    contexts: [{ name: 'rig', context: { cluster: 'rig', user: 'rig' } }],
  });
}

async function waitForHealth(program: Program, port: number): Promise<void> {
  const probe = new HttpTarget({ server: `https://127.0.0.1:${port}`, ca: undefined });
  try {
    await program.waitUntil(
      async () => (await probe.request('GET', '/healthz', undefined, {}, { anonymous: true, timeoutMs: 2000 })).code === 200,
    );
  } finally {
    probe.close();
  }
}
