import { useMemo } from 'react';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { useListIfServed } from '../../data/use-served.ts';
import type { MultiClusterService } from './service-kinds.ts';

/** All services, those of one namespace included. */
export function useServices(): readonly MultiClusterService[] {
  const { items: wide } = useList<MultiClusterService>({ kind: kinds.multiClusterService });
  const { items: narrow } = useListIfServed<MultiClusterService>({ kind: deliveryKinds.namespacedMultiClusterService });
  return useMemo(() => [...wide, ...narrow], [wide, narrow]);
}
