import { qualifiedResource, type GroupResource } from '../../api/object.ts';
import type { Change, ClusterApi } from '../../apiserver/cluster-api.ts';
import type { ControllerOptions, RunningController } from '../../apiserver/controllers/running-controller.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { controlledObjects, type ControlledObjects } from './controlled-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from './controller-definition.ts';
import { eventRecorder, type EventRecorder } from './event-recorder.ts';
import { platformControllers } from './platform-controllers.ts';
import { workloadControllers } from './workload-controllers.ts';
import { pods } from './workload-resources.ts';
import { passesByItself } from './write-errors.ts';

/** What plays kube-controller-manager in a sandbox cluster. */
export const sandboxControllers: readonly ControllerDefinition[] = [...workloadControllers, ...platformControllers];

export interface StartControllersOptions extends ControllerOptions {
  /** Default: all of them. */
  controllers?: readonly ControllerDefinition[];
}

/**
 * Runs the controllers of a cluster on one subscription. A controller exists only once there is something for it to do, so that an
 * empty cluster costs a closure.
 */
export function startControllers(api: ClusterApi, options: StartControllersOptions = {}): RunningController {
  const definitions = options.controllers ?? sandboxControllers;
  const routes = routesOf(definitions);
  const running = new Map<ControllerDefinition, FedController>();
  const ctx = new SharedContext(api, options);

  const subscription = api.subscribe(observe);
  for (const definition of definitions) if (definition.reconciles.some(gr => api.count(gr) > 0)) start(definition);

  return {
    async idle() {
      // What one controller does may be work for another, so all must be idle in the same look.
      let seen: number;
      do {
        seen = ctx.activity;
        for (const controller of running.values()) await controller.idle();
        await ctx.recordersIdle();
      } while (seen !== ctx.activity);
    },
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      for (const controller of running.values()) controller[Symbol.dispose]();
      running.clear();
    },
  };

  function observe(change: Change): void {
    const route = routes.get(change.resource.group)?.get(change.resource.resource);
    if (!route) return;
    ctx.note(change);
    ctx.activity++;
    for (const definition of route.watchedBy) running.get(definition)?.observe(change);
    for (const definition of route.reconciledBy) {
      const present = running.get(definition);
      if (present) present.observe(change);
      else if (change.type !== 'DELETED') start(definition);
    }
  }

  function start(definition: ControllerDefinition): void {
    running.set(definition, definition.start(ctx));
  }
}

class SharedContext implements ControllerContext {
  readonly api: ClusterApi;
  /** Grows with every change that some controller may act on. */
  activity = 0;
  readonly #options: ControllerOptions;
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #controlled = new Map<string, ControlledObjects>();

  constructor(api: ClusterApi, options: ControllerOptions) {
    this.api = api;
    this.#options = options;
  }

  now(): Date {
    return this.#options.now?.() ?? new Date();
  }

  get pods(): ControlledObjects {
    return this.controlled(pods);
  }

  controlled(gr: GroupResource): ControlledObjects {
    const key = qualifiedResource(gr);
    const present = this.#controlled.get(key);
    if (present) return present;
    const made = controlledObjects(this.api, gr);
    this.#controlled.set(key, made);
    return made;
  }

  note(change: Change): void {
    if (this.#controlled.size > 0) this.#controlled.get(qualifiedResource(change.resource))?.observe(change);
  }

  recorder(component: string): EventRecorder {
    const present = this.#recorders.get(component);
    if (present) return present;
    const made = eventRecorder(this.api, { component, now: () => this.now() });
    this.#recorders.set(component, made);
    return made;
  }

  async recordersIdle(): Promise<void> {
    for (const recorder of this.#recorders.values()) await recorder.idle();
  }

  queue(options: Parameters<ControllerContext['queue']>[0]) {
    const { onError } = this.#options;
    return workQueue({
      concurrency: 5,
      ...options,
      onError: (key, error, failures) => {
        if (!passesByItself(error)) onError?.(key, error, failures);
      },
    });
  }
}

interface Route {
  readonly reconciledBy: ControllerDefinition[];
  readonly watchedBy: ControllerDefinition[];
}

type Routes = ReadonlyMap<string, ReadonlyMap<string, Route>>;

const knownRoutes = new WeakMap<readonly ControllerDefinition[], Routes>();

/** Who hears of which resource: the same for all clusters, so it is made once. */
function routesOf(definitions: readonly ControllerDefinition[]): Routes {
  const known = knownRoutes.get(definitions);
  if (known) return known;
  const routes = new Map<string, Map<string, Route>>();
  for (const definition of definitions) {
    for (const gr of definition.reconciles) routeOf(routes, gr).reconciledBy.push(definition);
    for (const gr of definition.watches ?? []) routeOf(routes, gr).watchedBy.push(definition);
  }
  knownRoutes.set(definitions, routes);
  return routes;
}

function routeOf(routes: Map<string, Map<string, Route>>, { group, resource }: GroupResource): Route {
  const inGroup = routes.get(group) ?? new Map<string, Route>();
  routes.set(group, inGroup);
  const route = inGroup.get(resource) ?? { reconciledBy: [], watchedBy: [] };
  inGroup.set(resource, route);
  return route;
}
