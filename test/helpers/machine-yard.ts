import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigMap, Namespace } from '../../src/api/builtin-kinds.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';

import { VirtualMachine } from '../../src/sandbox/harvester/kubevirt-kinds.ts';
import { ensureHarvester } from '../../src/sandbox/harvester/harvester-platform.ts';
import { playMachines } from '../../src/sandbox/harvester/play-machines.ts';
import { droverFor } from './drover.ts';
import { HarvesterFront } from './harvester-front.ts';
import { startAgentProgram } from './imported-member.ts';
import type { PageRig } from './page-rig.ts';
import { clientOf } from './release-rig.ts';
import { startSandboxCluster } from './sandbox-cluster.ts';
import { tempDir } from './temp-dir.ts';
import { VirtApi } from './virt-api.ts';

export interface MachineYard {
  readonly virt: VirtApi;
  readonly front: HarvesterFront;
}

/**
 * The member `yard`: a cluster that plays Harvester, with what sandboxes of the hub do not play: KubeVirt's second API, which has consoles, and Harvester's own,
 * which takes files. The hub reaches it through the tunnel of an agent.
 */
export async function startMachineYard(rig: PageRig, machine: VirtualMachine, running: AsyncDisposableStack): Promise<MachineYard> {
  const sandbox = running.use(await startSandboxCluster({ nodes: 1 }));
  const client = running.use(clientOf(sandbox.kubeconfig));
  const { signal } = running.adopt(new AbortController(), stop => stop.abort());
  await ensureHarvester(client, { version: 'v1.9.0', signal });
  const published = await client.get(ConfigMap, { namespace: 'kube-system', name: 'extension-apiserver-authentication' });
  const virt = running.use(await VirtApi.start(client, published!.data!['requestheader-client-ca-file']!));
  await virt.register();
  playMachines({ client, signal });
  const { namespace = '' } = machine.metadata;
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(VirtualMachine, machine);
  const front = running.use(await HarvesterFront.start(running.use(transportOf(sandbox.kubeconfig))));
  await join(rig, front, running);
  return { virt, front };
}

const transportOf = (kubeconfig: string) => contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} }));

async function join(rig: PageRig, front: HarvesterFront, running: AsyncDisposableStack): Promise<void> {
  const { dir } = running.use(tempDir('machine-yard'));
  const kubeconfig = path.join(dir, 'front.kubeconfig');
  writeFileSync(kubeconfig, front.kubeconfig(), { mode: 0o600 });
  const drover = droverFor({ hub: rig.hub.kubeconfig, dir });
  const words = JSON.parse(await drover.expect('import yard --label provider.cattle.io=harvester -o json')) as Record<string, string>;
  const [, checksum = ''] = /--ca-checksum (\S+)/.exec(words['agentCommand'] ?? '') ?? [];
  const agent = startAgentProgram({ server: rig.hub.gateway, checksum, kubeconfig, token: words['token'] ?? '', dir });
  running.defer(() => agent.stop());
  await rig.kubectl.expect('wait --for=condition=Ready clusters.drover.io/yard --timeout=60s', { timeoutMs: 70_000 });
}
