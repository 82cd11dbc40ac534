import type { Cluster } from '../../../api/cluster.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import type { ScopeFacts } from '../inputs/run-scope.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { ClusterRun, Grant } from '../kinds/cluster-run.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import type { ReleaseName } from '../release/book.ts';
import type { StepSettings } from '../release/step.ts';
import { phasesOf } from '../runs/generate-phases.ts';
import { factsOfPhase, factsOfRun, factsOfWave, withStatus } from '../runs/run-facts.ts';

/** Everything about a granted step that does not come from its cluster. */
export interface StepContext {
  /** Of the ClusterRun. */
  readonly key: Key;
  readonly run: { readonly namespace: string; readonly name: string; readonly uid: string; readonly wave: string };
  readonly grant: Grant;
  /** The preview that the run must equal. */
  readonly preview?: string;
  readonly snapshot: RunSnapshot;
  readonly spec: Partial<Workflow['spec']>;
  readonly release: ReleaseName;
  readonly settings: StepSettings;
  readonly cluster: ResolvedCluster;
  /** What the hub calls the cluster; undefined when it is gone. */
  readonly hubName: string | undefined;
  /** What expressions find, without secrets. */
  readonly facts: ScopeFacts;
}

const protectedKinds = ['Namespace', 'PersistentVolumeClaim', 'CustomResourceDefinition'];

/** What all clusters of a wave have in common in a phase. */
interface SharedContext {
  readonly facts: ScopeFacts;
  readonly isCanaryRun: boolean;
  readonly skipVersioning: boolean;
}

/** For as long as a run is as it is: there may be a thousand clusters, and what is said of a wave names them all. */
const contexts = new WeakMap<WorkflowRun, Map<string, SharedContext>>();

function sharedContext(run: WorkflowRun, snapshot: RunSnapshot, wave: string, phaseName: string): SharedContext {
  const key = JSON.stringify([wave, phaseName]);
  const known = contexts.get(run) ?? new Map<string, SharedContext>();
  contexts.set(run, known);
  const present = known.get(key);
  if (present) return present;
  const phases = phasesOf(snapshot.workflow.spec as unknown as Workflow['spec'], snapshot.provider.type);
  const steps = phases.flatMap(phase => phase.groups.flatMap(group => group.steps));
  const phase = factsOfPhase(withStatus(run), phaseName);
  const made = {
    facts: { ...factsOfRun(withStatus(run)), ...phase, ...factsOfWave(withStatus(run), wave) },
    isCanaryRun: steps.some(({ type }) => type === 'CanaryDeploy'),
    skipVersioning: snapshot.services[phase.service ?? snapshot.service]?.skipVersioning === true,
  };
  known.set(key, made);
  return made;
}

/** Undefined while the run has no snapshot, or nothing is granted. */
export function contextOf(run: WorkflowRun, clusterRun: ClusterRun, cluster: Cluster | undefined): StepContext | undefined {
  const { snapshot } = withStatus(run).status ?? {};
  const { grant, cluster: ref, wave } = clusterRun.spec;
  if (!snapshot || !grant) return undefined;
  const spec = snapshot.workflow.spec as Partial<Workflow['spec']>;
  const { facts, isCanaryRun, skipVersioning } = sharedContext(run, snapshot, wave, grant.phase);
  const { versioning = {}, prune = {} } = spec;
  return {
    key: keyOf(clusterRun),
    run: { namespace: run.metadata.namespace!, name: run.metadata.name!, uid: run.metadata.uid!, wave },
    grant,
    ...(run.spec.previewRef !== undefined && { preview: run.spec.previewRef }),
    snapshot,
    spec,
    release: { name: snapshot.infrastructure.releaseName, namespace: snapshot.infrastructure.namespace },
    settings: {
      versioning: {
        mode: skipVersioning ? 'None' : (versioning.mode ?? 'Revision'),
        reuseUnchanged: versioning.reuseUnchanged ?? false,
      },
      historyLimit: versioning.historyLimit ?? 2,
      prune: { enabled: prune.enabled ?? false, protectKinds: prune.protectKinds ?? protectedKinds },
      labelPrefix: spec.labelPrefix ?? 'harness.io',
      isCanaryRun,
      isRollback: grant.isRollback === true,
      phase: grant.phase,
      position: grant.position,
    },
    cluster: { ...ref, labels: cluster?.metadata.labels ?? {} },
    hubName: cluster?.metadata.name,
    facts: {
      ...facts,
      step: { name: grant.step, type: grant.type },
      ...outputsOf(clusterRun.status?.outputs),
    },
  };
}

const resourcesPrefix = 'k8sResources.';

/** What earlier steps have said of this cluster. */
function outputsOf(outputs: Readonly<Record<string, string>> = {}): Pick<ScopeFacts, 'k8s' | 'k8sResources'> {
  const manifests = outputs[`${resourcesPrefix}manifests`];
  const k8s = Object.fromEntries(Object.entries(outputs).filter(([name]) => !name.startsWith(resourcesPrefix)));
  return { k8s, ...(manifests !== undefined && { k8sResources: { manifests } }) };
}
