import { nodeLife } from '../nodes/node-life.ts';
import { podLife } from '../pod-life/pod-life.ts';
import { scheduler } from '../scheduler/scheduler.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { cronJobController } from './cron-job/cron-job-controller.ts';
import { jobController } from './job/job-controller.ts';
import { orphanedJobPods } from './job/orphaned-job-pods.ts';
import { podGarbageCollector } from './pod-gc.ts';
import { endpointMirroring } from './service/endpoint-mirroring.ts';
import { endpointSliceController } from './service/endpoint-slice-controller.ts';
import { endpointsController } from './service/endpoints-controller.ts';
import { loadBalancerController } from './service/load-balancer-controller.ts';
import { taintEviction } from './taint-eviction.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';
import { claimController } from './volume/claim-controller.ts';
import { ephemeralVolumeController } from './volume/ephemeral-volume-controller.ts';
import { volumeController } from './volume/volume-controller.ts';

/** What workloads stand on: kube-scheduler, the kubelets, and the controllers of jobs, services and volumes. */
export const platformControllers: readonly ControllerDefinition[] = [
  nodeLife,
  scheduler,
  podLife,
  taintEviction,
  podGarbageCollector,
  jobController,
  orphanedJobPods,
  ttlAfterFinished,
  cronJobController,
  endpointSliceController,
  endpointsController,
  endpointMirroring,
  loadBalancerController,
  claimController,
  volumeController,
  ephemeralVolumeController,
];
