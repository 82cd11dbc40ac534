import { withReadiness, type Condition, type ConditionReport } from '../../../api/conditions.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, runController, settled, type RunningController, type Trigger } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { GateTemplate } from '../kinds/gate.ts';
import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { Pipeline } from '../kinds/pipeline.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { Workflow } from '../kinds/workflow.ts';
import { judgeReferences, referencesOfPipeline, referencesOfWorkflow } from './judge-references.ts';

export interface DefinitionsDeps {
  readonly hub: KubeClient;
  readonly workflows: Informer<Workflow>;
  readonly pipelines: Informer<Pipeline>;
  readonly services: Informer<ServiceDefinition>;
  readonly infrastructures: Informer<InfrastructureDefinition>;
  readonly environments: Informer<Environment>;
  readonly templates: Informer<GateTemplate>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-definitions';
const accepted: ConditionReport = { type: 'Ready', status: 'True', reason: 'Accepted', message: 'Runs can use it' };

type Defined = KubeObject & { status?: { conditions?: Condition[]; observedGeneration?: number } };

/** Says of what runs are made from whether it is whole, so that mistakes show before a run. */
export function runDefinitions(deps: DefinitionsDeps): RunningController[] {
  const { hub, workflows, pipelines, services, infrastructures, environments, templates, signal } = deps;
  const holders: Readonly<Record<string, Informer<KubeObject>>> = {
    ServiceDefinition: services,
    InfrastructureDefinition: infrastructures,
    Workflow: workflows,
  };
  const isThereFor =
    ({ metadata }: KubeObject) =>
    ({ kind, name }: { kind: string; name: string }) =>
      holders[kind]?.get(`${metadata.namespace}/${name}`) !== undefined;
  /** What comes and goes may be named by others. */
  const namedBy = <T extends KubeObject>(users: Informer<T>, used: Informer<KubeObject>): Trigger =>
    changesOf(
      used,
      ({ metadata }) => users.list().flatMap(user => (user.metadata.namespace === metadata.namespace ? [keyOf(user)] : [])),
      ({ metadata }) => metadata.uid,
    );
  return [
    keep(Workflow, workflows, [namedBy(workflows, services), namedBy(workflows, infrastructures)], one =>
      judgeReferences(referencesOfWorkflow(one), isThereFor(one)),
    ),
    keep(Pipeline, pipelines, [namedBy(pipelines, workflows), namedBy(pipelines, infrastructures)], one =>
      judgeReferences(referencesOfPipeline(one), isThereFor(one)),
    ),
    // Whoever looks for artifacts says how that goes.
    keep(ServiceDefinition, services, [], ({ spec }) => ((spec.artifacts ?? []).length > 0 ? undefined : accepted)),
    keep(Environment, environments, [], () => accepted),
    keep(GateTemplate, templates, [], () => accepted),
  ];

  function keep<T extends Defined>(
    kind: KindRef<T> & { readonly kind: string },
    informer: Informer<T>,
    triggers: readonly Trigger[],
    judge: (obj: T) => ConditionReport | undefined,
  ): RunningController {
    const facts = ({ metadata }: T) => [metadata.uid, metadata.generation];
    return runController(
      {
        name: `definitions-${kind.kind.toLowerCase()}`,
        async reconcile(key: Key, ctx) {
          const obj = informer.get(key);
          const report = obj && obj.metadata.deletionTimestamp === undefined ? judge(obj) : undefined;
          if (!obj || !report) return settled;
          const { generation = 0, uid } = obj.metadata;
          const { conditions, observedGeneration } = obj.status ?? {};
          // What is missing may come any moment: often all of it is applied together.
          const course = report.status === 'True' ? undefined : 'Reconciling';
          const next = withReadiness(conditions, [report], { course, now: ctx.now, generation });
          if (jsonEqual(conditions, next) && observedGeneration === generation) return settled;
          const own = next.filter(({ type }) => type === report.type || type === course);
          const target = { ...splitKey(key), ...(uid !== undefined && { uid }) };
          const body = { metadata: target, status: { conditions: own, observedGeneration: generation } } as unknown as T;
          await hub.apply(kind, body, { subresource: 'status', fieldManager, signal: ctx.signal });
          return settled;
        },
      },
      { triggers: [changesOf(informer, undefined, facts), ...triggers], signal },
    );
  }
}
