import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import type { HttpTarget } from './http-target.ts';
import { Program } from './program.ts';
import { goModuleDir, rigProgramPath } from './rig.ts';

const stageFolders = ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'];

export interface KwokOptions {
  readonly kubeconfig: string;
  readonly target: HttpTarget;
  /** Where config and log are written. */
  readonly dir: string;
  /** How many nodes to make and wait for. */
  readonly nodes?: number;
}

/** kwok: nodes and pods become ready without a kubelet. Its stages come from its own module. */
export async function startKwok({ kubeconfig, target, dir, nodes = 1 }: KwokOptions): Promise<Program> {
  const stages = path.join(goModuleDir('kwok', 'sigs.k8s.io/kwok'), 'kustomize/stage');
  const documents = stageFolders.flatMap(folder =>
    readdirSync(path.join(stages, folder))
      .filter(name => name.endsWith('.yaml') && name !== 'kustomization.yaml')
      .map(name => readFileSync(path.join(stages, folder, name), 'utf8')),
  );
  const config = path.join(dir, 'kwok.yaml');
  writeFileSync(config, documents.join('\n---\n'));

  const port = await freePort();
  const program = new Program({
    name: 'kwok',
    command: rigProgramPath('kwok'),
    logFile: path.join(dir, 'kwok.log'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${config}`,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      '--node-lease-duration-seconds=40',
      `--server-address=127.0.0.1:${port}`,
    ],
  });
  const names = Array.from({ length: nodes }, (_, i) => `kwok-node-${i}`);
  for (const name of names) await target.request('POST', '/api/v1/nodes', fakeNode(name));
  for (const name of names)
    await eventually(
      async () => (await target.request('GET', `/api/v1/nodes/${name}`)).json<NodeLike>(),
      node => node.status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True') === true && program.isRunning,
      { timeoutMs: 30_000, what: `readiness of node "${name}"` },
    );
  return program;
}

interface NodeLike {
  status?: { conditions?: { type: string; status: string }[] };
}

export function fakeNode(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', type: 'kwok' },
    },
    status: {
      capacity: { cpu: '32', memory: '256Gi', pods: '110' },
      allocatable: { cpu: '32', memory: '256Gi', pods: '110' },
      nodeInfo: { kubeletVersion: 'fake', operatingSystem: 'linux', architecture: 'amd64' },
    },
  };
}
