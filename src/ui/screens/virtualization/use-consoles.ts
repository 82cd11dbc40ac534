import { useEffect, useState } from 'react';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { instanceDeeds, type ConsoleKind, type MachineAt } from './console-socket.ts';

/** Which consoles of a machine there are for whoever is signed in: those that the cluster serves and its rules permit. Undefined until it is known. */
export function useConsoles({ cluster, namespace, name }: MachineAt): ReadonlySet<ConsoleKind> | undefined {
  const [served, setServed] = useState<readonly string[]>();
  useEffect(() => {
    let isOver = false;
    fetchServed(cluster).then(
      names => isOver || setServed(names),
      () => isOver || setServed([]),
    );
    return () => {
      isOver = true;
    };
  }, [cluster]);
  const has = (kind: ConsoleKind) => served?.includes(`${instanceDeeds.plural}/${kind}`) ?? false;
  const deed = (kind: ConsoleKind) =>
    has(kind) ? { verb: 'get', kind: instanceDeeds, cluster, namespace, name, subresource: kind } : undefined;
  const [maySee, mayType] = [useMay(deed('vnc')), useMay(deed('console'))];
  const isKnown = served && (!has('vnc') || maySee !== undefined) && (!has('console') || mayType !== undefined);
  return isKnown ? new Set<ConsoleKind>([...(maySee ? (['vnc'] as const) : []), ...(mayType ? (['console'] as const) : [])]) : undefined;
}

async function fetchServed(cluster: string): Promise<readonly string[]> {
  const apis = `/k8s/clusters/${encodeURIComponent(cluster)}/apis`;
  const { groups = [] } = await request<{ groups?: { name: string }[] }>(apis);
  if (!groups.some(one => one.name === instanceDeeds.group)) return [];
  const { resources = [] } = await request<{ resources?: { name: string }[] }>(`${apis}/${instanceDeeds.group}/${instanceDeeds.version}`);
  return resources.map(one => one.name);
}
