import type { BuiltinKinds } from './builtin-kind.ts';
import { cronJobKind } from './workloads/cron-job.ts';
import { daemonSetKind } from './workloads/daemon-set.ts';
import { deploymentKind, replicaSetKind } from './workloads/deployment.ts';
import { jobKind } from './workloads/job.ts';
import { controllerRevisionKind, podTemplateKind } from './workloads/plain-kinds.ts';
import { podKind } from './workloads/pod.ts';
import { replicationControllerKind } from './workloads/replication-controller.ts';
import { statefulSetKind } from './workloads/stateful-set.ts';

/** Pods and the kinds that make pods. */
export const workloadKinds: BuiltinKinds = {
  '/Pod': podKind,
  '/PodTemplate': podTemplateKind,
  '/ReplicationController': replicationControllerKind,
  'apps/Deployment': deploymentKind,
  'apps/ReplicaSet': replicaSetKind,
  'apps/StatefulSet': statefulSetKind,
  'apps/DaemonSet': daemonSetKind,
  'apps/ControllerRevision': controllerRevisionKind,
  'batch/Job': jobKind,
  'batch/CronJob': cronJobKind,
};
