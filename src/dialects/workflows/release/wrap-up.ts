import type { KubeObject } from '../../../api/object.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import { isJsonObject, type Json } from '../../../util/json.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { nameOf } from './managed-workloads.ts';
import { unitLog } from './step-log.ts';
import type { StepInput, StepState } from './step.ts';

type Sight = Pick<StepInput, 'live'>;

const statusOf = (obj: KubeObject | undefined): Readonly<Record<string, Json>> => {
  const status = obj?.['status'];
  return isJsonObject(status) ? status : {};
};

/** More are told by their number. */
const maxPods = 100;

/** What runs now, for the log and for the status. */
export function wrapUp({ pods = [] }: Pick<StepInput, 'pods'>): {
  readonly lines: readonly LogLine[];
  readonly status: Pick<StepState, 'pods'>;
} {
  const log = unitLog('Wrap Up');
  if (pods.length > 0) log.info(`Pods of the release : ${pods.length}`);
  for (const { name, phase, node } of pods.slice(0, maxPods)) log.info(`- ${name} : ${phase}${node === '' ? '' : ` on ${node}`}`);
  if (pods.length > maxPods) log.info(`and ${pods.length - maxPods} more`);
  return { lines: log.done().lines, status: pods.length > 0 ? { pods: pods.slice(0, maxPods).map(({ name }) => name) } : {} };
}

/** The revisions that the member has given to workloads. */
export function liveRevisions(workloads: readonly KubeObject[], { live }: Sight): Record<string, string> {
  return Object.fromEntries(
    workloads.flatMap(obj => {
      const found = live(refOf(obj));
      const revision = found?.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? statusOf(found)['updateRevision'];
      return typeof revision === 'string' ? [[nameOf(obj), revision]] : [];
    }),
  );
}

/** Where the first Service that has a load balancer is reached. */
export function balancerAddress(services: readonly KubeObject[], { live }: Sight): string | undefined {
  for (const service of services) {
    const { loadBalancer } = statusOf(live(refOf(service)));
    const ingress = isJsonObject(loadBalancer) ? loadBalancer['ingress'] : undefined;
    const [first] = Array.isArray(ingress) ? ingress : [];
    const address = isJsonObject(first) ? (first['hostname'] ?? first['ip']) : undefined;
    if (typeof address === 'string' && address !== '') return address;
  }
  return undefined;
}
