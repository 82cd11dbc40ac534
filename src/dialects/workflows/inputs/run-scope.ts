import type { JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import { clustersExpression, type ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { artifactNames } from './artifact-names.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { environmentVariables, serviceVariables, VariableText } from './service-variables.ts';

/** What the run knows and the snapshot does not, for expressions. What is absent is unresolved. */
export interface ScopeFacts {
  readonly run?: {
    readonly name: string;
    readonly displayName?: string;
    readonly startedAt?: string;
    readonly triggeredBy?: string;
    readonly releaseNo?: string;
    readonly lastGoodReleaseNo?: string;
    readonly lastGoodDeploymentDisplayName?: string;
    readonly pipelineDeploymentUuid?: string;
    readonly pipelineResumeUuid?: string;
    /** The same for the whole run. */
    readonly timestampId?: string;
    readonly url?: string;
  };
  readonly pipeline?: { readonly name: string; readonly displayName: string };
  /** `variableOverrides` of the phase. */
  readonly phaseVariables?: Readonly<Record<string, string>>;
  /** Default: the service of the run. */
  readonly service?: string;
  /** The clusters of the run, once they are resolved. */
  readonly resolved?: readonly Pick<ResolvedCluster, 'id' | 'name'>[];
  readonly cluster?: ResolvedCluster;
  readonly wave?: { readonly name: string; readonly index: number; readonly clusters: readonly string[] };
  /** Outputs of steps on this cluster, such as `canaryWorkload`. */
  readonly k8s?: Readonly<Record<string, string>>;
  readonly k8sResources?: { readonly manifests: string };
  readonly rollbackArtifact?: JsonObject;
  /** What steps and approvals published. */
  readonly context?: JsonObject;
  readonly step?: { readonly name: string; readonly type: string };
  readonly httpResponseCode?: string;
  readonly httpResponseBody?: string;
  /** Of `readSecrets`. Without them encrypted variables are unresolved. */
  readonly secrets?: ReadonlyMap<string, string>;
}

/** What expressions begin with. In manifests whatever begins with another word is no expression of ours. */
export const scopeRoots = [
  'app',
  'service',
  'env',
  'serviceVariable',
  'environmentVariable',
  'infra',
  'workflow',
  'pipeline',
  'artifact',
  'rollbackArtifact',
  'helmChart',
  'k8s',
  'k8sResources',
  'rancher',
  'context',
  'cluster',
  'wave',
  'deploymentUrl',
  'deploymentTriggeredBy',
  'currentStep',
  'httpResponseCode',
  'httpResponseBody',
  'timestampId',
] as const;
type Root = (typeof scopeRoots)[number];
/** Those whose members are variables, whatever their names are. */
const variableRoots: readonly Root[] = ['serviceVariable', 'environmentVariable'];
/** Those that are texts by themselves. */
export const plainRoots: readonly Root[] = [
  'deploymentUrl',
  'deploymentTriggeredBy',
  'httpResponseCode',
  'httpResponseBody',
  'timestampId',
];

/** What is known before the infrastructure is: workflow variables decide which one it is. */
export type PartialSnapshot = Pick<RunSnapshot, 'app' | 'workflow' | 'variables'> & Partial<RunSnapshot>;

/** What expressions of a run stand for. */
export function runScope(snapshot: PartialSnapshot, facts: ScopeFacts): ExpressionScope {
  const roots = new Map<string, unknown>();
  const underWay = new Set<string>();
  /** Variables that stand for each other many times over are worked out once. */
  const texts = new Map<string, string>();
  return scope;

  function scope(path: string): unknown {
    const [root = '', ...names] = path.split('.');
    if (!isRoot(root)) return undefined;
    if (!roots.has(root)) roots.set(root, valueOfRoot[root](snapshot, facts));
    if (!variableRoots.includes(root)) return names.reduce(memberOf, roots.get(root));
    // One by one: all of them at once would tell secrets that nobody asked for.
    const value = names.length === 0 ? undefined : memberOf(roots.get(root), names.join('.'));
    return value instanceof VariableText ? textOf(path, value) : value;
  }

  /** A variable that stands for itself, by whatever detour, stands for nothing. */
  function textOf(path: string, { text }: VariableText): string | undefined {
    const known = texts.get(path);
    if (known !== undefined || underWay.has(path)) return known;
    underWay.add(path);
    try {
      const rendered = renderText(text, scope);
      texts.set(path, rendered);
      return rendered;
    } finally {
      underWay.delete(path);
    }
  }
}

const isRoot = (name: string): name is Root => Object.hasOwn(valueOfRoot, name);

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

const regionLabel = 'topology.kubernetes.io/region';

/** What each first word of an expression gives: a text, an object, or undefined while it stands for nothing. */
const valueOfRoot: Readonly<Record<Root, (snapshot: PartialSnapshot, facts: ScopeFacts) => unknown>> = {
  app: ({ app }) => app,
  service: (snapshot, facts) => serviceOf(snapshot, facts),
  env: ({ environment }) =>
    environment && {
      name: environment.name,
      description: environment.description,
      environmentType: environment.type === 'Prod' ? 'PROD' : 'NON_PROD',
    },
  serviceVariable: serviceVariables,
  environmentVariable: environmentVariables,
  infra: ({ infrastructure, provider }) =>
    infrastructure && {
      name: infrastructure.name,
      cloudProvider: { name: provider?.name },
      kubernetes: { namespace: infrastructure.namespace, infraId: infrastructure.infraId, releaseName: infrastructure.releaseName },
    },
  workflow: ({ workflow, variables }, { run }) => ({
    name: workflow.name,
    displayName: run?.displayName ?? run?.name,
    description: workflow.description,
    variables,
    ...(run?.startedAt !== undefined && { startTs: String(Date.parse(run.startedAt)) }),
    ...pick(run, ['releaseNo', 'lastGoodReleaseNo', 'lastGoodDeploymentDisplayName', 'pipelineDeploymentUuid', 'pipelineResumeUuid']),
  }),
  pipeline: (_, { pipeline }) => pipeline,
  artifact: (snapshot, facts) => artifactNames(snapshot.services?.[serviceName(snapshot, facts)]?.artifact),
  rollbackArtifact: (_, { rollbackArtifact }) => rollbackArtifact,
  helmChart(snapshot, facts) {
    const chart = snapshot.services?.[serviceName(snapshot, facts)]?.helmChart;
    return chart && { ...chart, displayName: `${chart.name}-${chart.version}`, description: '', metadata: { url: chart.url } };
  },
  k8s: ({ infrastructure }, { k8s }) => (infrastructure || k8s) && { releaseName: infrastructure?.releaseName, ...k8s },
  k8sResources: (_, { k8sResources }) => k8sResources,
  rancher: (_, { resolved }) => resolved && { clusters: clustersExpression(resolved) },
  context: (_, { context }) => context,
  cluster: (_, { cluster }) =>
    cluster && { id: cluster.id, name: cluster.name, labels: cluster.labels, region: cluster.labels[regionLabel] },
  wave: (_, { wave }) => wave && { name: wave.name, index: wave.index, clusters: wave.clusters.join(',') },
  deploymentUrl: (_, { run }) => run?.url,
  deploymentTriggeredBy: (_, { run }) => run?.triggeredBy,
  currentStep: (_, { step }) => step,
  httpResponseCode: (_, facts) => facts.httpResponseCode,
  httpResponseBody: (_, facts) => facts.httpResponseBody,
  timestampId: (_, { run }) => run?.timestampId,
};

const serviceName = (snapshot: PartialSnapshot, { service }: ScopeFacts): string => service ?? snapshot.service ?? '';

function serviceOf(snapshot: PartialSnapshot, facts: ScopeFacts): unknown {
  const name = serviceName(snapshot, facts);
  return name === '' ? undefined : { name, description: snapshot.services?.[name]?.description };
}

function pick<T extends object>(from: T | undefined, names: readonly (keyof T)[]): object {
  return Object.fromEntries(names.map(name => [name, from?.[name]]));
}
