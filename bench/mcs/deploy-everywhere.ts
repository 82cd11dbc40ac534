import { findCondition } from '../../src/api/conditions.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import { cpuSeconds, residentBytes } from '../process-use.ts';
import { firstSeen, type FirstSeen } from './first-seen.ts';
import { templateName, type Fleet } from './fleet.ts';
import type { TimeLimit } from './time-limit.ts';

export interface Deployment {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly writes: number;
  readonly mib: number;
}

export const release = 'shop';
const name = 'everywhere';

/** One MultiClusterService whose values differ for each cluster, to all of them. */
export async function deployEverywhere(fleet: Fleet, limit: TimeLimit, log: (text: string) => void): Promise<Deployment> {
  const { hub, pid, size } = fleet;
  let told = '';
  let said = performance.now();
  using done = untilTold(fleet, size, text => {
    told = text;
    if (performance.now() - said < 10_000) return;
    said = performance.now();
    log(`deployed: ${told}, ${(residentBytes(pid) / 2 ** 20).toFixed(0)} MiB`);
  });
  const [cpuBefore, revisionBefore] = [cpuSeconds([pid]), await fleet.revision()];
  const startedAt = performance.now();
  const values = 'text: {{ .Cluster.metadata.name }}-{{ .Cluster.metadata.labels.color }}\n';
  const services = [{ name: release, namespace: release, template: templateName, values }];
  await hub.create(
    MultiClusterService,
    newObject(MultiClusterService, { name }, { clusterSelector: { matchLabels: { tier: 'dev' } }, serviceSpec: { services } }),
  );
  const doneAt = await limit.wait(done.atMs, () => `${told} of the clusters were deployed`);
  return {
    seconds: (doneAt - startedAt) / 1000,
    cpuSeconds: cpuSeconds([pid]) - cpuBefore,
    writes: (await fleet.revision()) - revisionBefore,
    mib: residentBytes(pid) / 2 ** 20,
  };
}

/** Waits until the MultiClusterService says that it is deployed on so many clusters, and lists them. */
export function untilTold({ hub }: Pick<Fleet, 'hub'>, size: number, hear: (text: string) => void = () => {}): FirstSeen {
  return firstSeen(hub, MultiClusterService, { fieldSelector: `metadata.name=${name}` }, mcs => {
    const text = findCondition(mcs, 'ClusterInReadyState')?.message ?? '';
    hear(text);
    return text === `${size}/${size}` && mcs.status?.matchingClusters?.length === size;
  });
}
