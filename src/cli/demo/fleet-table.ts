import { findCondition } from '../../api/conditions.ts';
import type { ClusterDeployment } from '../../dialects/k0rdent/kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import type { ServiceState } from '../../dialects/k0rdent/kinds/service-spec.ts';
import { isOutranked } from '../../dialects/k0rdent/plan-target.ts';
import { whyNotSelected, type PlacementSight } from '../../dialects/k0rdent/select-clusters.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { ProgressItem } from '../output/progress.ts';

export interface Fleet {
  readonly deployments: readonly ClusterDeployment[];
  readonly services: readonly MultiClusterService[];
  readonly sets: readonly ServiceSet[];
  readonly sight: PlacementSight;
}

interface Row {
  readonly cluster: string;
  readonly labels: string;
  readonly service: string;
  readonly state: string;
}

const maxRows = 12;
const maxStateLength = 44;

/** What runs on which cluster, and why not where it does not. At most a dozen rows: a fleet is seen with `drover get`. */
export function fleetTable(fleet: Fleet): string {
  const rows = sorted(fleet.deployments).flatMap(one => rowsOf(one, fleet));
  if (rows.length === 0) return 'There are no ClusterDeployments: "kubectl apply -f examples/multi-cluster-service" makes some.\n';
  const table = new TabWriter();
  table.line('CLUSTER\tLABELS\tSERVICE\tSTATE');
  for (const { cluster, labels, service, state } of rows.slice(0, maxRows))
    table.line([cluster, labels, service, shortened(state)].map(visibleLine).join('\t'));
  const more = rows.length - maxRows;
  return `${table.flush()}${more > 0 ? `and ${more} more: kubectl get servicesets -A\n` : ''}`;
}

function rowsOf(deployment: ClusterDeployment, { services, sets, sight }: Fleet): Row[] {
  const { namespace, name = '', labels = {} } = deployment.metadata;
  const about = { cluster: name, labels: labelText(labels) };
  const here = sets.filter(({ metadata, spec }) => metadata.namespace === namespace && spec.cluster === name);
  const present = here.flatMap(({ status }) => status?.services ?? []);
  if (present.length > 0) return present.map(one => ({ ...about, service: one.template, state: stateText(one) }));
  const absent = services.filter(mcs => whyNotSelected(mcs, deployment, sight) !== undefined);
  if (absent.length === 0) return [{ ...about, service: '<none>', state: readyText(deployment) }];
  const [mcs] = sorted(absent) as [MultiClusterService];
  return [{ ...about, service: '<none>', state: `not ${mcs.metadata.name}: ${whyNotSelected(mcs, deployment, sight)}` }];
}

function stateText(service: ServiceState): string {
  const { state, failureMessage } = service;
  if (isOutranked(service)) return 'Outranked, which is no failure';
  return failureMessage === undefined ? state : `${state}: ${failureMessage}`;
}

function readyText(deployment: ClusterDeployment): string {
  const ready = findCondition(deployment, 'Ready');
  return ready?.status === 'True' ? 'the cluster is ready' : (ready?.message ?? 'the cluster is being made');
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([key]) => !key.includes('k0rdent.mirantis.com'))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

const shortened = (text: string): string => (text.length <= maxStateLength ? text : `${text.slice(0, maxStateLength - 1)}…`);

const sorted = <T extends { metadata: { name?: string } }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => compareTexts(a.metadata.name ?? '', b.metadata.name ?? ''));

/** How far each cluster is: ready, and with the services that select it. */
export function fleetProgress({ deployments, services, sets, sight }: Fleet): ProgressItem[] {
  return sorted(deployments).map(deployment => {
    const { namespace, name = '' } = deployment.metadata;
    const wanted = services.filter(mcs => whyNotSelected(mcs, deployment, sight) === undefined).map(({ metadata }) => metadata.name);
    const here = sets.filter(({ metadata, spec }) => metadata.namespace === namespace && spec.cluster === name);
    const isThere = ({ status }: ServiceSet) => status?.deployed === true || (status?.services ?? []).some(isOutranked);
    const missing = wanted.filter(mcs => !here.some(set => set.spec.multiClusterService === mcs && isThere(set)));
    const isReady = findCondition(deployment, 'Ready')?.status === 'True';
    if (isReady && missing.length === 0) return { name, state: wanted.length === 0 ? 'ready' : 'deployed', isDone: true };
    const states = here.flatMap(({ status }) => status?.services ?? []).map(one => `${one.name} ${one.state}`);
    return { name, state: states.join(', ') || (isReady ? 'waits for its services' : 'is being made'), isDone: false };
  });
}
