import { jsonEqual } from '../../../util/json.ts';
import type { GrantedCluster } from './cluster-grant.ts';
import type { ClusterWrite } from './run-step.ts';
import type { RunOrder } from './run-status.ts';

/** What is written to ClusterRuns, as the status keeps it: what many get is said once. */
export function ordersOf(writes: Iterable<ClusterWrite>): RunOrder[] {
  const orders: RunOrder[] = [];
  for (const { id, grant, standing } of writes) {
    const same = orders.find(one => jsonEqual([one.grant, one.standing], [grant, standing]));
    if (same) same.ids.push(id);
    else orders.push({ ids: [id], ...(grant && { grant }), ...(standing && { standing }) });
  }
  return orders;
}

/** ClusterRuns as they are when the orders are carried out. */
export function* obeyed(
  orders: readonly RunOrder[],
  clusterRuns: ReadonlyMap<string, GrantedCluster>,
): Generator<[id: string, cluster: GrantedCluster]> {
  for (const { ids, grant, standing } of orders)
    for (const id of ids) {
      const status = clusterRuns.get(id)?.status;
      yield [id, { spec: { ...(grant && { grant }), ...(standing && { standing }) }, ...(status && { status }) }];
    }
}

/** Those of the orders that ClusterRuns do not show yet. */
export function openOrders(orders: readonly RunOrder[], clusterRuns: ReadonlyMap<string, GrantedCluster>): RunOrder[] {
  const isDone = ({ grant, standing }: RunOrder, id: string) => {
    const spec = clusterRuns.get(id)?.spec;
    return spec !== undefined && jsonEqual(spec.grant, grant) && jsonEqual(spec.standing, standing);
  };
  return orders.map(order => ({ ...order, ids: order.ids.filter(id => !isDone(order, id)) })).filter(({ ids }) => ids.length > 0);
}
