import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../client/kube-client.ts';
import { ClusterDeployment } from '../../dialects/k0rdent/kinds/cluster-deployment.ts';
import { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import { sightOfRead } from '../../dialects/k0rdent/placement-sight.ts';
import { membersByTarget } from '../../dialects/k0rdent/previews/owners.ts';
import { showProgress } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';
import { fleetProgress, fleetTable, type Fleet } from './fleet-table.ts';
import { makeDemo } from './make-demo.ts';

/** What somebody has broken since holds up no later start for long. */
const settleMs = { made: 60_000, there: 10_000 };
const pollMs = 100;

/** Makes the demo unless it was made before, waits until it has come true, and answers what there is to see. */
export async function runDemo(
  hub: KubeClient,
  terminal: Pick<Terminal, 'err' | 'isErrorTty' | 'errorColumns'>,
  signal: AbortSignal,
): Promise<string> {
  const outcome = await makeDemo(hub, { signal });
  if (outcome === 'left out') return 'This hub has clusters of its own, so that no demo was made; --data DIR starts another hub.\n';
  const fleet = await settledFleet(hub, { terminal, settleMs: settleMs[outcome] }, signal);
  const made = outcome === 'made' ? 'Made' : 'From an earlier start';
  return `${made}: examples/multi-cluster-service, a service for all clusters with env=prod\n\n${fleetTable(fleet)}`;
}

async function settledFleet(
  hub: KubeClient,
  { terminal, settleMs }: { readonly terminal: Pick<Terminal, 'err' | 'isErrorTty' | 'errorColumns'>; readonly settleMs: number },
  signal: AbortSignal,
): Promise<Fleet> {
  using progress = showProgress(terminal);
  const deadline = performance.now() + settleMs;
  for (;;) {
    const fleet = await readFleet(hub, signal);
    const items = fleetProgress(fleet);
    if (items.every(one => one.isDone) || performance.now() > deadline) return fleet;
    progress.show(items);
    await sleep(pollMs, undefined, { signal });
  }
}

async function readFleet(hub: KubeClient, signal: AbortSignal): Promise<Fleet> {
  const [members, deployments, services, sets] = await Promise.all([
    membersByTarget(hub, signal),
    hub.list(ClusterDeployment, { signal }),
    hub.list(MultiClusterService, { signal }),
    hub.list(ServiceSet, { signal }),
  ]);
  return { deployments: deployments.items, services: services.items, sets: sets.items, sight: sightOfRead(members, sets.items) };
}
