import type { GroupResource } from '../../api/object.ts';
import type { Change, ClusterApi } from '../../apiserver/cluster-api.ts';
import type { RunningController } from '../../apiserver/controllers/running-controller.ts';
import type { WorkQueue, WorkQueueOptions } from '../../runtime/work-queue.ts';
import type { ControlledObjects } from './controlled-objects.ts';
import type { EventRecorder } from './event-recorder.ts';

/** What the controllers of one cluster share. */
export interface ControllerContext {
  readonly api: ClusterApi;
  now(): Date;
  /** The pods of the cluster by their controllers. */
  readonly pods: ControlledObjects;
  /** The objects of a resource by their controllers: read on first use, then always current. Only for resources that some controller hears of. */
  controlled(gr: GroupResource): ControlledObjects;
  /** One recorder per component, made on first use. */
  recorder(component: string): EventRecorder;
  /** A queue whose failures are reported; those that pass by themselves (conflicts, namespaces that go away) are only tried again. */
  queue(options: Pick<WorkQueueOptions, 'reconcile' | 'concurrency' | 'maxDelayMs'>): WorkQueue;
}

/** A controller at work in one cluster, fed by the one subscription that all of them share. */
export interface FedController extends RunningController {
  /** Hears changes of the resources its definition names. Must be quick and must not throw. */
  observe(change: Change): void;
}

/** A controller before it runs: it starts when the first object it is responsible for appears, and costs nothing until then. */
export interface ControllerDefinition {
  readonly name: string;
  /** The resources it is responsible for. */
  readonly reconciles: readonly GroupResource[];
  /** What else it hears of once it runs. */
  readonly watches?: readonly GroupResource[];
  /** Starts with what is there already: changes are heard from now on. */
  start(ctx: ControllerContext): FedController;
}
