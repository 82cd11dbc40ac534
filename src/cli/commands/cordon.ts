import { defineCordonOf } from '../clusters/cordon-clusters.ts';

export const defineCordon = defineCordonOf(
  'cordon',
  'Services and runs of workflows that are not on the cluster yet are not placed on it.\n' +
    'What is there stays, and is brought up to date. "drover uncordon" undoes it,\n' +
    '"drover drain" also takes away what is there.',
);
