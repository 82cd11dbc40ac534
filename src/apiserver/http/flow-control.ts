import type { KubeObject } from '../../api/object.ts';
import type { AccessAttributes, UserInfo } from '../../auth/user.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/flow-control.ts';
import type { ClusterApi } from '../cluster-api.ts';

/** The flow that a request belongs to, by the uids of the objects that say so. */
export interface Flow {
  readonly schemaUid: string;
  readonly levelUid: string;
}

interface Subject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface Rule {
  readonly subjects?: readonly Subject[];
  readonly resourceRules?: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly clusterScope?: boolean;
    readonly namespaces?: readonly string[];
  }[];
  readonly nonResourceRules?: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[];
}

interface FlowSchema {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly matchingPrecedence: number;
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly rules?: readonly Rule[];
  };
}

interface KnownFlow extends Flow {
  readonly rules: readonly Rule[];
}

export interface FlowClassifier {
  /** Undefined when no FlowSchema matches, which takes one that was tampered with. */
  flowOf(user: UserInfo, attributes: AccessAttributes): Flow | undefined;
}

const maxKept = 2000;

/** Tells by FlowSchemas and priority levels to which flow a request belongs. */
export function flowClassifier(api: ClusterApi): FlowClassifier {
  let known: readonly KnownFlow[] | undefined;
  const kept = new Map<string, Flow>();
  api.subscribe(({ resource }) => {
    if (resource.group === flowSchemas.group) known = undefined;
  });
  return {
    flowOf(user, attributes) {
      if (!known) {
        known = knownFlows(api);
        kept.clear();
      }
      const key = keyOf(user, attributes);
      const before = kept.get(key);
      if (before) return before;
      const flow = known.find(({ rules }) => rules.some(rule => matches(rule, user, attributes)));
      if (kept.size >= maxKept) kept.clear();
      if (flow) kept.set(key, flow);
      return flow;
    },
  };
}

/** By precedence, then by name; without those whose level does not exist. */
function knownFlows(api: ClusterApi): KnownFlow[] {
  const levels = new Map(api.peekAll(priorityLevels).map(({ metadata }) => [metadata.name!, metadata.uid!]));
  return (api.peekAll(flowSchemas) as (KubeObject & FlowSchema)[])
    .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence || (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ metadata, spec }) => {
      const levelUid = levels.get(spec.priorityLevelConfiguration.name);
      return levelUid === undefined ? [] : [{ schemaUid: metadata.uid, levelUid, rules: spec.rules ?? [] }];
    });
}

function keyOf({ name, groups }: UserInfo, attributes: AccessAttributes): string {
  const { verb } = attributes;
  const what = attributes.isResource
    ? `${attributes.group}/${attributes.resource}/${attributes.subresource}/${attributes.namespace}`
    : attributes.path;
  return `${name}\n${groups.join('\n')}\n${verb} ${what}`;
}

function matches(
  { subjects = [], resourceRules = [], nonResourceRules = [] }: Rule,
  user: UserInfo,
  attributes: AccessAttributes,
): boolean {
  if (!subjects.some(subject => isMeant(subject, user))) return false;
  if (!attributes.isResource) {
    const { verb, path } = attributes;
    return nonResourceRules.some(rule => has(rule.verbs, verb) && rule.nonResourceURLs.some(url => isBelow(url, path)));
  }
  const { verb, group, resource, subresource, namespace } = attributes;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resourceRules.some(
    ({ verbs, apiGroups, resources, clusterScope = false, namespaces = [] }) =>
      has(verbs, verb) && has(apiGroups, group) && has(resources, whole) && (namespace === '' ? clusterScope : has(namespaces, namespace)),
  );
}

const has = (list: readonly string[], one: string): boolean => list.includes(one) || list.includes('*');
const isBelow = (url: string, path: string): boolean => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));

function isMeant({ kind, user, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  if (kind === 'User') return user?.name === '*' || user?.name === name;
  if (kind === 'Group') return group?.name === '*' || groups.includes(group?.name ?? '');
  if (kind !== 'ServiceAccount' || !serviceAccount) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  return serviceAccount.name === '*' ? name.startsWith(prefix) : name === prefix + serviceAccount.name;
}

/** Of all requests that may be under way, what each level may have: the share that its configuration names. */
export function nominalSeats(levels: readonly KubeObject[], seats: number): Map<string, number> {
  const shares = levels.map(level => {
    const { limited, exempt } = (
      level as unknown as { spec: Record<'limited' | 'exempt', { nominalConcurrencyShares?: number } | undefined> }
    ).spec;
    return { name: level.metadata.name!, share: (limited ?? exempt)?.nominalConcurrencyShares ?? 0 };
  });
  const sum = shares.reduce((total, { share }) => total + share, 0);
  return new Map(shares.map(({ name, share }) => [name, sum === 0 ? 0 : Math.ceil((seats * share) / sum)]));
}
