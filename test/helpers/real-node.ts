import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withFolders } from '../../scripts/image/drover-image.ts';
import { writeImage } from '../../scripts/image/oci-archive.ts';
import type { TarEntry } from '../../scripts/image/tar.ts';
import { installMissing, lacking, neededPackages } from './debian-packages.ts';
import { HttpTarget, readKubeconfig, type Answer } from './http-target.ts';
import { Program } from './program.ts';
import { printKubeconfig, type RealCluster } from './real-cluster.ts';
import { rigProgramPath } from './rig.ts';
import { tempDir } from './temp-dir.ts';

/** A node that runs containers: kubelet and containerd in a network of their own. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  /** Address of this machine as the node and its pods see it. */
  readonly hostAddress: string;
  readonly address: string;
  /** Makes an image known to the node, as `ctr images import` does. */
  importImage(archive: Buffer): void;
  logTail(): string;
}

const sandboxImage = 'drover.test/pause:1';
/** A small image with a shell and the usual commands. */
export const busyboxImage = 'drover.test/busybox:1';

/** Why no node can run here, or undefined. In CI nothing may be skipped: there the Debian packages are installed. */
export function missingContainers(): string | undefined {
  if (process.getuid?.() !== 0) return 'skipped: only root can start containers';
  const missing = lacking('containers');
  if (missing.length === 0) return undefined;
  if (process.env['CI'] !== 'true')
    return `skipped: ${missing.join(', ')} missing (apt-get install ${neededPackages.containers.packages.join(' ')})`;
  installMissing('containers');
  return undefined;
}

let count = 0;

/** The API server of the cluster must listen on all addresses: `--bind-address=0.0.0.0`. */
export async function startRealNode(cluster: RealCluster): Promise<RealNode> {
  await using undo = new AsyncDisposableStack();
  const scratch = undo.use(tempDir('node', { isOnDisk: true }));
  const network = undo.use(startNetwork(new URL(cluster.server).port));
  const { dir } = scratch;
  const socket = path.join(dir, 'containerd.sock');
  writeFileSync(path.join(dir, 'containerd.toml'), containerdConfig(dir, socket));
  mkdirSync(path.join(dir, 'cni'));
  writeFileSync(path.join(dir, 'cni/10-bridge.conflist'), bridgeConfig(network.podSubnet));
  undo.defer(() => unmountUnder(dir));
  const containerd = undo.use(network.run('containerd', 'containerd', ['--config', path.join(dir, 'containerd.toml')], dir));
  const ctr = (...args: string[]): void => void execFileSync('ctr', ['--address', socket, '-n', 'k8s.io', ...args], { stdio: 'pipe' });
  await containerd.waitUntil(async () => spawnSync('ctr', ['--address', socket, 'version']).status === 0);
  const importImage = (archive: Buffer): void => {
    const file = path.join(dir, 'image.tar');
    writeFileSync(file, archive);
    ctr('images', 'import', file);
  };
  for (const name of [sandboxImage, busyboxImage]) importImage(smallImage(name));
  undo.defer(() => endContainers(socket));

  const name = `node-${path.basename(dir)}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  writeFileSync(path.join(dir, 'kubelet.yaml'), JSON.stringify(kubeletConfig(dir)));
  writeFileSync(path.join(dir, 'kubeconfig'), nodeKubeconfig(cluster));
  const kubelet = undo.use(
    network.run(
      'kubelet',
      rigProgramPath('kubelet'),
      [
        `--config=${dir}/kubelet.yaml`,
        `--kubeconfig=${dir}/kubeconfig`,
        `--root-dir=${dir}/kubelet`,
        `--cert-dir=${dir}/kubelet-certs`,
        `--hostname-override=${name}`,
        `--node-ip=${network.nodeAddress}`,
      ],
      dir,
    ),
  );
  const target = undo.adopt(new HttpTarget(readKubeconfig(cluster.kubeconfig)), one => one.close());
  await kubelet.waitUntil(async () => isReady(await target.request('GET', `/api/v1/nodes/${name}`)), { timeoutMs: 120_000 });
  const kept = undo.move();
  return {
    name,
    hostAddress: network.hostAddress,
    address: network.nodeAddress,
    importImage,
    logTail: () => kubelet.logTail(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function isReady(answer: Answer): boolean {
  if (answer.code !== 200) return false;
  const { status } = answer.json<{ status?: { conditions?: { type: string; status: string }[] } }>();
  return status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True') ?? false;
}

interface Network extends Disposable {
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly podSubnet: string;
  run(name: string, command: string, args: readonly string[], dir: string): Program;
}

/** A network namespace with a cable to this machine. The address of the cluster's Service leads to its API server. */
function startNetwork(apiServerPort: string): Network {
  const id = `${process.pid % 10_000}-${count}`;
  const space = `drover-${id}`;
  const [host, inside] = [`dvh${id}`, `dvn${id}`];
  const third = (process.pid + count++) % 200;
  const [hostAddress, nodeAddress, podSubnet] = [`10.231.${third}.1`, `10.231.${third}.2`, `10.232.${third}.0/24`];
  const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });
  const within = (...args: string[]): void => ip('netns', 'exec', space, ...args);
  ip('netns', 'add', space);
  try {
    ip('link', 'add', host, 'type', 'veth', 'peer', 'name', inside);
    ip('link', 'set', inside, 'netns', space);
    ip('addr', 'add', `${hostAddress}/24`, 'dev', host);
    ip('link', 'set', host, 'up');
    // The API server reaches pods when it is asked to.
    ip('route', 'add', podSubnet, 'via', nodeAddress);
    within('ip', 'addr', 'add', `${nodeAddress}/24`, 'dev', inside);
    within('ip', 'link', 'set', inside, 'up');
    within('ip', 'link', 'set', 'lo', 'up');
    within('ip', 'route', 'add', 'default', 'via', hostAddress);
    within('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    for (const chain of ['PREROUTING', 'OUTPUT']) {
      const rule = ['-d', '10.0.0.1', '-p', 'tcp', '--dport', '443', '-j', 'DNAT', '--to-destination', `${hostAddress}:${apiServerPort}`];
      within('iptables', '-t', 'nat', '-A', chain, ...rule);
    }
  } catch (cause) {
    spawnSync('ip', ['netns', 'del', space]);
    throw new Error(`cannot set up network "${space}"`, { cause });
  }
  return {
    hostAddress,
    nodeAddress,
    podSubnet,
    run: (name, command, args, dir) =>
      // Unlike "ip netns exec" this leaves the mounts as they are: the kubelet looks for control groups.
      new Program({
        name,
        command: 'nsenter',
        args: [`--net=/run/netns/${space}`, command, ...args],
        logFile: path.join(dir, `${name}.log`),
      }),
    [Symbol.dispose]() {
      spawnSync('ip', ['link', 'del', host]);
      spawnSync('ip', ['netns', 'del', space]);
    },
  };
}

function containerdConfig(dir: string, socket: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${dir}/root"
state = "${dir}/state"
disabled_plugins = ["io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "${socket}"
[${cri}]
  sandbox_image = "${sandboxImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
[${cri}.cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${dir}/cni"
[${cri}.containerd]
  default_runtime_name = "runc"
  snapshotter = "overlayfs"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${cri}.containerd.runtimes.runc.options]
  SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "${dir}/opt"
`;
}

function bridgeConfig(subnet: string): string {
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: 'drover',
    plugins: [
      {
        type: 'bridge',
        bridge: 'pods0',
        isGateway: true,
        ipMasq: true,
        ipam: { type: 'host-local', subnet, routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}

function kubeletConfig(dir: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${dir}/containerd.sock`,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: '/',
    // Kubelets of one machine would each end the pods of the others, whose groups they do not know.
    cgroupsPerQOS: false,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
    resolvConf: '',
    podLogsDir: `${dir}/pod-logs`,
    evictionHard: { 'memory.available': '0%', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    registerNode: true,
  };
}

/** The kubelet speaks to its API server under the name of the Service, for which the certificate is good. */
function nodeKubeconfig(cluster: RealCluster): string {
  const { ca = '', certificate = '', key = '' } = readKubeconfig(cluster.kubeconfig);
  return printKubeconfig({ server: 'https://10.0.0.1:443', ca, certificate, key });
}

/** The same with kubectl, which is large: whoever needs it imports it. */
export const kubectlImage = 'drover.test/kubectl:1';
export const writeKubectlImage = (): Buffer =>
  smallImage(kubectlImage, [{ path: 'bin/kubectl', type: 'file', data: readFileSync(rigProgramPath('kubectl')), mode: 0o755 }]);

function smallImage(name: string, more: readonly TarEntry[] = []): Buffer {
  const busybox = readFileSync(execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim());
  const commands = [
    'sh',
    'ls',
    'cat',
    'echo',
    'sleep',
    'nc',
    'httpd',
    'wget',
    'tar',
    'id',
    'env',
    'true',
    'mkdir',
    'rm',
    'cp',
    'seq',
    'date',
    'test',
  ];
  const entries: TarEntry[] = [
    { path: 'bin/busybox', type: 'file', data: busybox, mode: 0o755 },
    ...commands.map((command): TarEntry => ({ path: `bin/${command}`, type: 'link', target: '/bin/busybox' })),
    { path: 'tmp', type: 'folder', mode: 0o1777 },
    ...more,
  ];
  return writeImage({
    name,
    layers: [withFolders(entries)],
    config: { Entrypoint: ['/bin/busybox', 'sleep', '2147483647'], Env: ['PATH=/bin'] },
  }).archive;
}

/** Containers outlive their containerd: they are ended first, by its own hand. */
function endContainers(socket: string): void {
  const ctr = (...args: string[]): string =>
    spawnSync('ctr', ['--address', socket, '-n', 'k8s.io', ...args], { encoding: 'utf8' }).stdout ?? '';
  for (const id of ctr('tasks', 'list', '-q').split('\n').filter(Boolean)) {
    ctr('tasks', 'kill', '--signal', 'SIGKILL', '--all', id);
    ctr('tasks', 'delete', '--force', id);
  }
}

function unmountUnder(dir: string): void {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
    .filter(place => place.startsWith(`${dir}/`));
  for (const place of mounts.reverse()) spawnSync('umount', ['-l', place]);
}
