import type { Cluster } from '../../../../api/cluster.ts';
import { findCondition } from '../../../../api/conditions.ts';
import { useScope } from '../../../app/scope.tsx';
import { kinds } from '../../../data/kinds.ts';
import { useNamespacesFor } from '../../../data/list-places.ts';
import { useMay } from '../../../data/permissions.ts';
import { runsContainers } from './runs-containers.ts';

const isReady = (cluster: Cluster): boolean => findCondition(cluster, 'Ready')?.status === 'True';

/** Whether somebody may make a pod and run something in it: everywhere, in the namespace that is looked at, or in any that is open to them. Undefined until it is known. */
export function useMayOpenShell(cluster: Cluster | undefined): boolean | undefined {
  const runs = cluster !== undefined && runsContainers(cluster);
  // One that is away cannot be asked.
  const name = runs && isReady(cluster) ? cluster.metadata.name! : undefined;
  const { namespace } = useScope();
  const where = { kind: kinds.pod, cluster: name, namespace: namespace || undefined };
  const mayCreate = useMay(name === undefined ? undefined : { ...where, verb: 'create' });
  const mayExec = useMay(name === undefined ? undefined : { ...where, verb: 'create', subresource: 'exec' });
  const hasPlaces = mayCreate === false || mayExec === false;
  const places = useNamespacesFor('create', kinds.pod, hasPlaces ? name : undefined);
  const first = places?.[0];
  const mayExecThere = useMay(
    first === undefined ? undefined : { verb: 'create', kind: kinds.pod, subresource: 'exec', cluster: name, namespace: first },
  );
  if (cluster !== undefined && !runs) return false;
  if (mayCreate && mayExec) return true;
  if (!hasPlaces || places === undefined) return undefined;
  return first === undefined ? false : mayExecThere;
}
