import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Work } from '../../api/work.ts';
import { workAnnotationsOfSet, workLabels } from '../../dialects/k0rdent/compile-works.ts';
import type { MatchingCluster } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ReleaseReport, ServiceSet, SetService } from '../../dialects/k0rdent/kinds/service-set.ts';
import { hubTarget, targetOfSet } from '../../dialects/k0rdent/owned-sets.ts';
import { serviceKey } from '../../dialects/k0rdent/validate-services.ts';
import { keyOf } from '../../runtime/key.ts';
import { claimsOn, ifThisLeft, ifTheWinnerLeft, whyTheWinner, type Claim } from '../works/claims-on.ts';
import { describeSource } from '../works/describe-source.ts';

/** One service of an owner on one cluster. */
export interface ServiceExplanation {
  /** The release on the cluster, as namespace/name. */
  readonly release: string;
  readonly template: string;
  readonly state: string;
  readonly message: string | null;
  /** What would happen, of a set that only plans. */
  readonly report: ReleaseReport | null;
  /** All who want the release, the highest first. */
  readonly claims: readonly Claim[];
  /** Why the first of them has it. */
  readonly why: string;
  /** What would become of the release if one of them left. */
  readonly ifLeft: readonly string[];
}

export interface ClusterExplanation {
  /** The ClusterDeployment, as namespace/name. */
  readonly cluster: string;
  /** The name of the member; null while there is none. */
  readonly member: string | null;
  readonly summary: string;
  readonly services: readonly ServiceExplanation[];
}

export interface OwnerExplanation {
  readonly owner: string;
  readonly summary: string;
  readonly clusters: readonly ClusterExplanation[];
  /** The clusters that it is not on, and why. */
  readonly notSelected: readonly NotSelected[];
}

export interface NotSelected {
  /** The ClusterDeployment, as namespace/name. */
  readonly cluster: string;
  readonly why: string;
}

export interface OwnerFacts {
  readonly owner: KubeObject;
  readonly sets: readonly ServiceSet[];
  readonly allSets: readonly ServiceSet[];
  /** The name of the member of a target. */
  member(target: string): string | undefined;
  /** All Works of the cluster of a target. */
  works(target: string): readonly Work[];
  isMeant(target: string): boolean;
  readonly notSelected: readonly NotSelected[];
}

export function explainOwner(facts: OwnerFacts): OwnerExplanation {
  const { owner, sets, isMeant } = facts;
  const targets = new Set(sets.map(targetOfSet));
  const listed = new Map(matchingClustersOf(owner).map(one => [targetOfMatch(one), one]));
  for (const target of listed.keys()) targets.add(target);
  const chosen = [...targets].filter(isMeant).sort();
  return {
    owner: `${owner.kind} ${keyOf(owner)}`,
    summary: readyText(owner),
    clusters: chosen.map(target => {
      const here = sets.filter(set => targetOfSet(set) === target).sort(ownFirst);
      const services = new Map<string, ServiceExplanation>();
      for (const set of here)
        for (const service of set.spec.services ?? []) {
          // The claims of all owners are told with each.
          if (!services.has(serviceKey(service))) services.set(serviceKey(service), explainService(set, service, target, facts));
        }
      return {
        cluster: target === hubTarget ? 'the hub itself' : target,
        member: facts.member(target) ?? null,
        summary: clusterText(here, listed.get(target), facts.member(target)),
        services: [...services.values()],
      };
    }),
    notSelected: facts.notSelected.filter(({ cluster }) => isMeant(cluster) && !targets.has(cluster)),
  };
}

/** On the cluster of a ClusterDeployment its own set comes before those of others. */
const ownFirst = (a: ServiceSet, b: ServiceSet): number =>
  Number(a.spec.multiClusterService !== undefined) - Number(b.spec.multiClusterService !== undefined);

const matchingClustersOf = ({ status }: KubeObject): readonly MatchingCluster[] =>
  (status as { matchingClusters?: MatchingCluster[] } | undefined)?.matchingClusters ?? [];

const targetOfMatch = ({ kind, namespace, name }: MatchingCluster): string =>
  kind === 'SveltosCluster' ? hubTarget : `${namespace}/${name}`;

function readyText(owner: KubeObject): string {
  const conditions = owner as Parameters<typeof findCondition>[0];
  const ready = findCondition(conditions, 'Ready') ?? findCondition(conditions, 'ServicesInReadyState');
  if (!ready) return 'Nobody has looked at it yet.';
  const isCount = ready.type !== 'Ready';
  if (isCount) return `${ready.message.replace('/', ' of ')} services are deployed.`;
  return ready.status === 'True' ? `It is ready: ${ready.message}.` : `It is not ready (${ready.reason}): ${ready.message}`;
}

/** A cluster on which something is outranked is one on which nothing failed. */
function clusterText(sets: readonly ServiceSet[], match: MatchingCluster | undefined, member: string | undefined): string {
  const states = sets.flatMap(({ status }) => status?.services ?? []);
  if (match && match.deployed !== true && match.outranked !== true && match.message) return match.message;
  if (member === undefined) return 'There is no member yet.';
  if (sets.length > 0 && sets.every(({ status }) => status?.deployed)) return 'All is deployed.';
  if (match?.outranked === true || (states.length > 0 && states.every(isOutrankedOrDone))) return 'Outranked, which is no failure.';
  return sets.length === 0 ? 'Nothing is wanted there yet.' : 'Not all is deployed.';
}

const isOutrankedOrDone = ({ state, failureMessage }: { state: string; failureMessage?: string }): boolean =>
  state === 'Deployed' || state === 'Deleted' || failureMessage?.startsWith('ClusterSummary ') === true;

function explainService(set: ServiceSet, service: SetService, target: string, facts: OwnerFacts): ServiceExplanation {
  const key = serviceKey(service);
  const state = set.status?.services?.find(one => serviceKey(one) === key);
  const report = set.status?.releaseReports?.find(one => `${one.releaseNamespace}/${one.releaseName}` === key);
  const works = facts.works(target);
  const work = works.find(
    ({ metadata }) =>
      metadata.labels?.[workLabels.set] === set.metadata.uid && metadata.annotations?.[workAnnotationsOfSet.service] === key,
  );
  const claims = work ? claimsOn(work, works, one => templateText(one, facts.allSets)) : [];
  return {
    release: key,
    template: service.template,
    state: state?.state ?? 'Pending',
    message: state?.failureMessage ?? null,
    report: report ?? null,
    claims,
    why: work ? whyTheWinner(claims) : 'Nothing is delivered yet: it waits for the services before it, or for its cluster.',
    ifLeft: claims.length === 0 ? [] : [ifTheWinnerLeft(claims), ...ifThisLeft(claims)],
  };
}

/** The template is what people know a service by. */
function templateText(work: Work, sets: readonly ServiceSet[]): string {
  const { annotations } = work.metadata;
  const set = sets.find(one => keyOf(one) === annotations?.[workAnnotationsOfSet.set]);
  const service = set?.spec.services?.find(one => serviceKey(one) === annotations?.[workAnnotationsOfSet.service]);
  return service ? `template ${service.template}` : describeSource(work);
}
