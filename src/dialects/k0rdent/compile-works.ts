import { createHash } from 'node:crypto';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work, workAnnotations, workConditions, workReasons, type HealthRule, type WorkPatch } from '../../api/work.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';
import { deliveryOptions, exclusionsOf, mergeHelmOptions, syncOf } from './delivery-options.ts';
import type { DeliveryConfig } from './effective-config.ts';
import { localClusterName } from '../../core/clusters/local-cluster.ts';
import { isLocalTemplate, localTemplateRefusal, mayUseHub } from './local-template.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from './kinds/namespaced-multi-cluster-service.ts';
import type { ServiceSet, SetService } from './kinds/service-set.ts';
import type { ServiceTemplate } from './kinds/template.ts';
import { isOfNamespace } from './service-set-name.ts';
import { contentAnnotation } from './template-content.ts';
import { serviceKey } from './validate-services.ts';

export const workLabels = {
  /** The uid of the ServiceSet a Work comes from. */
  set: 'k0rdent.mirantis.com/service-set-uid',
} as const;

export const workAnnotationsOfSet = {
  set: workAnnotations.serviceSet,
  /** The service, as namespace/name. */
  service: 'k0rdent.mirantis.com/service',
  /** Which entry of `policyRefs` it is of. */
  policy: 'k0rdent.mirantis.com/policy',
  owner: workAnnotations.owner,
} as const;

export interface CompileInput {
  readonly set: ServiceSet;
  readonly config: DeliveryConfig;
  /** The hub namespace of the cluster. */
  readonly clusterNamespace: string;
  /** The Works that the set has now, by service. */
  readonly present: ReadonlyMap<string, Work>;
  template(name: string): ServiceTemplate | undefined;
  /** The values of a service, or why there are none. */
  values(service: SetService): JsonObject | Error;
  readonly patches?: readonly WorkPatch[];
  /** What objects of charts must fulfil. */
  readonly healthRules?: readonly HealthRule[];
  /** Whether no service waits for another: what all of them would come to. */
  readonly isPreview?: boolean;
}

export interface CompiledWorks {
  /** To be written, in order. */
  readonly works: Work[];
  /** To be deleted. Each only when those before it are gone. */
  readonly removals: Work[];
  /** Would be deleted if the set did not only plan. */
  readonly spared: Work[];
  /** Services that wait for an earlier one. */
  readonly pending: ReadonlySet<string>;
  /** Services that cannot be compiled, and why. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * The Works of a ServiceSet. Services are delivered one after the other in the order of the list: one that is under way holds the later ones up, one that
 * failed does so unless errors are to be passed over, one that lost a conflict only when conflicts are to stop everything.
 */
export function compileWorks(input: CompileInput): CompiledWorks {
  const { set, config, present, isPreview = false } = input;
  const works: Work[] = [];
  const pending = new Set<string>();
  const failures = new Map<string, string>();
  const kept = new Set<string>();
  let isOpen = true;

  for (const service of set.spec.services ?? []) {
    const key = serviceKey(service);
    if (service.helmAction === 'Uninstall') continue;
    kept.add(key);
    if (!isOpen) {
      if (!isThere(service, input)) pending.add(key);
      continue;
    }
    const compiled = compileService(service, input);
    if (compiled instanceof Error) {
      failures.set(key, compiled.message);
      isOpen = isPreview || config.continueOnError;
      continue;
    }
    works.push(compiled);
    isOpen = isPreview || mayGoOn(present.get(key), compiled, config);
  }
  // What others may depend on goes last.
  const removals = [...present].filter(([key]) => !kept.has(key)).map(([, work]) => work);
  // What has delivered something stays as it is while the set only plans.
  const isSpared = (work: Work) => config.syncMode === 'DryRun' && work.status?.delivered !== undefined;
  return {
    works,
    removals: removals.filter(work => !isSpared(work)).reverse(),
    spared: removals.filter(isSpared).reverse(),
    pending,
    failures,
  };
}

/** Whether a service that has to wait is as it should be already. What it was before is no word on what it is to be. */
function isThere(service: SetService, input: CompileInput): boolean {
  const present = input.present.get(serviceKey(service));
  const wanted = present && compileService(service, input);
  return wanted !== undefined && !(wanted instanceof Error) && saysTheSame(present!, wanted);
}

function compileService(
  service: SetService,
  { set, config, clusterNamespace, template: find, values: valuesOf, patches = [], healthRules = [] }: CompileInput,
): Work | Error {
  const template = find(service.template);
  const namespace = set.metadata.namespace!;
  if (!template) return new Error(`failed to fetch template ${namespace}/${service.template}: not found in namespace ${namespace}`);
  const digest = template.metadata.annotations?.[contentAnnotation];
  if (digest === undefined)
    return new Error(
      template.status?.validationError || `the source of template ${namespace}/${service.template} has not been fetched yet`,
    );
  const isLocal = isLocalTemplate(template);
  if (isLocal && !mayUseHub(set)) return new Error(localTemplateRefusal(namespace, service.template));
  const values = valuesOf(service);
  if (values instanceof Error) return values;
  const exclusions = exclusionsOf(config);
  const { labels, annotations } = setMarks(set);
  const options = deliveryOptions(mergeHelmOptions(template.spec.helmOptions, service.helmOptions), config);
  return newObject(
    Work,
    {
      name: workName(set, service),
      namespace: isLocal ? localClusterName : clusterNamespace,
      labels,
      annotations: { ...annotations, [workAnnotationsOfSet.service]: serviceKey(service) },
    },
    {
      release: { name: service.name, namespace: service.namespace },
      priority: config.priority,
      ...whatToDeliver(template, digest, values),
      ...(patches.length > 0 && { patches: [...patches] }),
      options: { ...options, ...(!template.spec.helm && { createAllNamespaces: true }) },
      sync: syncOf(config),
      onDelete: 'Uninstall',
      ...(healthRules.length > 0 && template.spec.helm && { healthRules: [...healthRules] }),
      ...(exclusions.length > 0 && { driftExclusions: exclusions }),
    },
  );
}

/** What every Work of a set bears. */
export function setMarks(set: ServiceSet) {
  return {
    labels: { [workLabels.set]: set.metadata.uid ?? '' },
    annotations: {
      [workAnnotationsOfSet.set]: `${set.metadata.namespace}/${set.metadata.name}`,
      [workAnnotationsOfSet.owner]: ownerText(set),
    },
  };
}

function whatToDeliver({ spec }: ServiceTemplate, digest: string, values: JsonObject): Partial<Work['spec']> {
  if (spec.kustomize) return { kustomization: { content: digest, ...(spec.kustomize.path && { path: spec.kustomize.path }) } };
  if (spec.resources) return { content: digest };
  return { chart: { content: digest }, values };
}

/** `MultiClusterService global-ingress`, `NamespacedMultiClusterService team/web` or `ClusterDeployment kcm-system/dev-cluster-1`. */
export function ownerText({ metadata, spec: { cluster, multiClusterService } }: ServiceSet): string {
  if (!multiClusterService) return `ClusterDeployment ${metadata.namespace}/${cluster}`;
  const kind = isOfNamespace(multiClusterService) ? NamespacedMultiClusterService : MultiClusterService;
  return `${kind.kind} ${multiClusterService}`;
}

const maxNameLength = 253;

export function workName(set: ServiceSet, service: SetService): string {
  const name = `${set.metadata.namespace}.${set.metadata.name}.${service.namespace}.${service.name}`;
  if (name.length <= maxNameLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, maxNameLength - hash.length - 1).replace(/[-.]+$/, '')}-${hash}`;
}

/** Whether the services after this one may be looked at. */
function mayGoOn(present: Work | undefined, wanted: Work, { continueOnError, stopOnConflict }: DeliveryConfig): boolean {
  const outcome = judgeWork(present, wanted);
  if (outcome === 'conflict') return !stopOnConflict;
  return outcome === 'done' || outcome === 'planned' || (outcome === 'failed' && continueOnError);
}

export type WorkOutcome = 'done' | 'under-way' | 'failed' | 'conflict' | 'planned';

/** How far a Work is. One that says something else than is wanted is not begun. */
export function judgeWork(present: Work | undefined, wanted?: Work): WorkOutcome {
  if (!present || (wanted && !saysTheSame(present, wanted))) return 'under-way';
  if (present.status?.outrankedBy) return 'conflict';
  const isCurrent = (type: string) => findCondition(present, type)?.observedGeneration === present.metadata.generation;
  const applied = findCondition(present, workConditions.applied);
  if (applied?.status === 'True' && isCurrent(workConditions.applied)) return 'done';
  const ready = findCondition(present, workConditions.ready);
  if (ready?.reason === workReasons.planned && isCurrent(workConditions.ready)) return 'planned';
  const hasFailed = (present.status?.failures ?? 0) > 0 || findCondition(present, workConditions.stalled)?.status === 'True';
  return hasFailed && isCurrent(workConditions.ready) ? 'failed' : 'under-way';
}

/** Whether a Work says what is wanted, whoever has suspended it meanwhile. */
export function saysTheSame({ spec: { suspend: _, ...present } }: Work, { spec: wanted }: Work): boolean {
  return jsonEqual(present, wanted);
}
