import { newObject } from '../../api/define-kind.ts';
import { Work, type WorkPatch } from '../../api/work.ts';
import { localClusterName } from '../../core/clusters/local-cluster.ts';
import type { JsonObject } from '../../util/json.ts';
import { setMarks, workAnnotationsOfSet } from './compile-works.ts';
import { exclusionsOf, policyOptions, syncOf } from './delivery-options.ts';
import type { DeliveryConfig } from './effective-config.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ReadPolicies } from './read-policies.ts';

export interface CompilePoliciesInput {
  readonly set: ServiceSet;
  readonly config: DeliveryConfig;
  /** The hub namespace of the cluster. */
  readonly clusterNamespace: string;
  readonly read: ReadPolicies;
  readonly patches: readonly WorkPatch[];
  /** The Works of policies that the set has now. */
  readonly present: readonly Work[];
}

export interface CompiledPolicies {
  readonly works: readonly Work[];
  readonly removals: readonly Work[];
}

/** Objects that name no namespace go where Sveltos puts them. */
const namespace = 'default';

/** The Works of what `policyRefs` name. They wait for nothing, and nothing waits for them. */
export function compilePolicies({ set, config, clusterNamespace, read, patches, present }: CompilePoliciesInput): CompiledPolicies {
  const works = read.policies.map(({ key, objects, content, isLocal, skipNamespaceCreation }) => {
    const { labels, annotations } = setMarks(set);
    const name = `${set.metadata.namespace}.${set.metadata.name}.policy-${key}`;
    const exclusions = exclusionsOf(config);
    return newObject(
      Work,
      {
        name,
        namespace: isLocal ? localClusterName : clusterNamespace,
        labels,
        annotations: { ...annotations, [workAnnotationsOfSet.policy]: key },
      },
      {
        release: { name: `policy-${key}`, namespace },
        priority: config.priority,
        ...(content === undefined ? { manifests: objects as unknown as JsonObject[] } : { content }),
        ...(patches.length > 0 && { patches: [...patches] }),
        options: policyOptions(config, !skipNamespaceCreation),
        sync: syncOf(config),
        onDelete: 'Uninstall',
        ...(exclusions.length > 0 && { driftExclusions: exclusions }),
      },
    );
  });
  const kept = new Set([...read.policies.map(({ key }) => key), ...read.failures.keys()]);
  const removals = present.filter(({ metadata }) => !kept.has(metadata.annotations?.[workAnnotationsOfSet.policy] ?? ''));
  return { works, removals };
}

export const isPolicy = ({ metadata }: Work): boolean => metadata.annotations?.[workAnnotationsOfSet.policy] !== undefined;
