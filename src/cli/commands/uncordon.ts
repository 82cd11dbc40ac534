import { defineCordonOf } from '../clusters/cordon-clusters.ts';

export const defineUncordon = defineCordonOf(
  'uncordon',
  'Undoes "drover cordon" and "drover drain": what chooses the cluster by its labels\ncomes to it, or comes back.',
);
