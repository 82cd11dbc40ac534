import type { ControllerDefinition } from './controller-definition.ts';
import { daemonSetController } from './daemon-set/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { horizontalPodAutoscalerController } from './autoscaler/horizontal-pod-autoscaler-controller.ts';
import { replicaSetController, replicationController } from './replica-set/replica-set-controller.ts';
import { staleDisruptionController } from './disruption/stale-disruption-controller.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';

/** Controllers of what people run: each keeps pods as its objects describe. */
export const workloadControllers: readonly ControllerDefinition[] = [
  deploymentController,
  replicaSetController,
  replicationController,
  statefulSetController,
  daemonSetController,
  disruptionController,
  horizontalPodAutoscalerController,
  staleDisruptionController,
];
