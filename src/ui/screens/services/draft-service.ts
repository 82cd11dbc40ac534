import { parseRequirements, SelectorSyntaxError, type Requirement } from '../../../api/label-query.ts';
import type { LabelSelector } from '../../../api/label-selector.ts';
import { whyKeptAway } from '../../../api/cluster-taints.ts';
import { unmetDemands, withoutDeployment } from '../../../api/unmet-demands.ts';
import { keyOf, type Cluster, type ClusterDeployment, type MultiClusterService } from './service-kinds.ts';
import { whyNot } from './where.ts';

/** A service that does not exist yet, as somebody fills it in. */
export interface ServiceDraft {
  readonly name: string;
  /** As kubectl takes it: `env=prod, tier in (a, b)`. */
  readonly selector: string;
  readonly template: string;
  /** The name of the service when empty. */
  readonly release: string;
  /** The name of the service when empty. */
  readonly namespace: string;
  /** YAML. */
  readonly values: string;
  /** 100 when empty. */
  readonly priority: string;
}

export const emptyDraft: ServiceDraft = { name: '', selector: '', template: '', release: '', namespace: '', values: '', priority: '' };

const apiVersion = 'k0rdent.mirantis.com/v1beta1';

/** The object. Throws SelectorSyntaxError for a selector that is none. */
export function serviceOf(draft: ServiceDraft): MultiClusterService {
  const { name, template, release, namespace, values, priority } = draft;
  const service = {
    name: release || name,
    namespace: namespace || name,
    template,
    ...(values.trim() !== '' && { values: `${values.trimEnd()}\n` }),
  };
  return {
    apiVersion,
    kind: 'MultiClusterService',
    metadata: { name },
    spec: {
      clusterSelector: selectorOf(draft.selector),
      serviceSpec: { ...(priority.trim() !== '' && { provider: { config: { priority: Number(priority) } } }), services: [service] },
    },
  } as unknown as MultiClusterService;
}

/** What is wrong with a selector; undefined when nothing is. */
export function selectorFault(text: string): string | undefined {
  try {
    selectorOf(text);
    return undefined;
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return error.message;
    throw error;
  }
}

function selectorOf(text: string): LabelSelector {
  const all = parseRequirements(text);
  const isPlain = ({ operator }: Requirement) => operator === '=' || operator === '==';
  const matchLabels = Object.fromEntries(all.filter(isPlain).map(({ key, values }) => [key, values[0] ?? '']));
  const matchExpressions = all.filter(one => !isPlain(one)).map(expressionOf);
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

const operators = { in: 'In', notin: 'NotIn', '!=': 'NotIn', exists: 'Exists', '!': 'DoesNotExist' } as const;

function expressionOf({ key, operator, values }: Requirement) {
  const known = operators[operator as keyof typeof operators];
  if (known === undefined) throw new SelectorSyntaxError(`services cannot select by ${operator}`);
  return { key, operator: known, ...(values.length > 0 && { values: [...values] }) };
}

export interface Destination {
  /** The ClusterDeployment, as namespace/name, or the name of a member that has none. */
  readonly target: string;
  readonly isMeant: boolean;
  /** Why not. */
  readonly why: string;
}

/** Every cluster there is: whether a service would go there, and why not. Those where it would first. */
export function destinations(
  mcs: MultiClusterService,
  deployments: readonly ClusterDeployment[],
  { members = new Map(), strays = [] }: { readonly members?: ReadonlyMap<string, Cluster>; readonly strays?: readonly Cluster[] } = {},
): readonly Destination[] {
  const selector = mcs.spec.clusterSelector ?? {};
  const isEmpty = Object.keys(selector).length === 0;
  const known = deployments
    .map(deployment => {
      const { labels = {}, deletionTimestamp } = deployment.metadata;
      const member = members.get(keyOf(deployment));
      const isMatching = !isEmpty && deletionTimestamp === undefined && unmetDemands(selector, labels).length === 0;
      const isMeant = isMatching && whyKeptAway(member, false) === undefined;
      return { target: keyOf(deployment), isMeant, why: isMeant ? '' : whyNot(mcs, deployment, member) };
    })
    .sort((a, b) => Number(b.isMeant) - Number(a.isMeant) || (a.target < b.target ? -1 : 1));
  return [...known, ...strays.map(({ metadata }) => ({ target: metadata.name ?? '', isMeant: false, why: withoutDeployment }))];
}
