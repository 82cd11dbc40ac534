import { compareVersions, parseVersion, type Version } from '../../render/semver/semver.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import type { Service, UpgradePaths } from './kinds/service-spec.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { serviceNamespace, type TemplateLookup } from './validate-services.ts';

/** What a service calls its version: its own word, else that of the template, else that of the chart, else the name of the template. */
export function versionOf(service: Pick<Service, 'version' | 'template'>, template: ServiceTemplate | undefined): string {
  return service.version || template?.spec.version || template?.spec.helm?.chartSpec?.version || service.template;
}

interface Step {
  readonly name: string;
  readonly version: string;
}

/** The upgrades that a chain allows: from each template to others. */
type Ways = ReadonlyMap<string, readonly Step[]>;

export function waysOf(chain: ServiceTemplateChain): Ways {
  return new Map(
    (chain.spec.supportedTemplates ?? []).map(({ name, availableUpgrades = [] }) => [
      name,
      availableUpgrades.map(one => ({ name: one.name, version: one.version || one.name })),
    ]),
  );
}

/** Longer chains than this are not looked through for their longest way: nobody has them, and the time would grow without bound. */
const maxVisits = 10_000;

/** For each template that can be reached, the longest way to it, without the template it begins with. */
export function longestWays(from: string, ways: Ways): Map<string, readonly Step[]> {
  const longest = new Map<string, readonly Step[]>();
  const onWay = new Set([from]);
  let visits = 0;
  follow(from, []);
  return longest;

  function follow(name: string, way: readonly Step[]): void {
    for (const step of ways.get(name) ?? []) {
      if (onWay.has(step.name) || ++visits > maxVisits) continue;
      const next = [...way, step];
      if (next.length > (longest.get(step.name)?.length ?? 0)) longest.set(step.name, next);
      onWay.add(step.name);
      follow(step.name, next);
      onWay.delete(step.name);
    }
  }
}

/** The upgrades of all services, for the status of their owner. */
export function listUpgradePaths(services: readonly Service[], namespace: string, known: TemplateLookup): UpgradePaths {
  return services.map(service => {
    const { name, template, templateChain } = service;
    const chain = templateChain ? known.chain(namespace, templateChain) : undefined;
    const ways = chain ? [...longestWays(template, waysOf(chain)).values()] : [[{ name: template, version: template }]];
    const availableUpgrades = ways
      .map(way => ({
        versions: way.toSorted((a, b) => compareTexts(a.version, b.version)).map(({ name, version }) => ({ name, version })),
      }))
      .sort((a, b) => compareTexts(JSON.stringify(a), JSON.stringify(b)));
    return { name, namespace: serviceNamespace(service), template, availableUpgrades };
  });
}

export interface StepQuestion {
  readonly from: string;
  readonly to: string;
  readonly chain: ServiceTemplateChain;
  /** What a template calls its version, for chains that do not say. */
  version(template: string): string | undefined;
}

/**
 * The template to go to next on the way to another; undefined when the chain has no way. Where versions lead straight there, up or down, the nearest
 * comes first, so that none is left out; otherwise the shortest way is taken. Every step comes nearer, so a chain with ways back is no trap.
 */
export function nextStep(question: StepQuestion): Step | undefined {
  const ways = waysOf(question.chain);
  return straightStep(question, ways) ?? shortestStep(question, ways);
}

function straightStep({ from, to, version: ask }: StepQuestion, ways: Ways): Step | undefined {
  const versions = new Map<string, Version>();
  for (const { name, version } of [...ways.values()].flat()) remember(name, version);
  for (const name of ways.keys()) remember(name, ask(name) ?? '');
  const [start, end] = [versions.get(from), versions.get(to)];
  if (!start || !end) return undefined;
  const direction = compareVersions(end, start);
  const reaching = new Map<string, boolean>([[to, true]]);
  return stepsTowards(from, start)
    .filter(({ name }) => reaches(name))
    .sort((a, b) => direction * compareVersions(versions.get(a.name)!, versions.get(b.name)!) || compareTexts(a.name, b.name))[0];

  function remember(name: string, text: string): void {
    const version = versions.has(name) ? undefined : readVersion(text);
    if (version) versions.set(name, version);
  }

  function stepsTowards(name: string, at: Version): Step[] {
    return (ways.get(name) ?? []).filter(step => {
      const version = versions.get(step.name);
      return version && direction * compareVersions(version, at) > 0 && direction * compareVersions(end!, version) >= 0;
    });
  }

  /** Versions only grow, or only fall, on the way: there are no circles. */
  function reaches(name: string): boolean {
    const known = reaching.get(name);
    if (known !== undefined) return known;
    const answer = stepsTowards(name, versions.get(name)!).some(step => reaches(step.name));
    reaching.set(name, answer);
    return answer;
  }
}

function shortestStep({ from, to }: StepQuestion, ways: Ways): Step | undefined {
  const seen = new Set([from]);
  let reached = (ways.get(from) ?? []).map(first => ({ first, at: first.name }));
  while (reached.length > 0) {
    const found = reached.find(({ at }) => at === to);
    if (found) return found.first;
    const fresh = reached.filter(({ at }) => !seen.has(at));
    for (const { at } of fresh) seen.add(at);
    reached = fresh.flatMap(({ first, at }) => (ways.get(at) ?? []).map(step => ({ first, at: step.name })));
  }
  return undefined;
}

function readVersion(text: string): Version | undefined {
  try {
    return parseVersion(text);
  } catch {
    return undefined;
  }
}

export interface DeployedQuestion {
  /** What the set lists, and did not get deployed. */
  readonly listed: string;
  /** The version that is there instead. */
  readonly version: string | undefined;
  readonly chain: ServiceTemplateChain;
  versionOf(template: string): string;
}

/** The template of a chain that a cluster has, when the one that is listed failed there; the listed one when nobody knows. */
export function deployedTemplate({ listed, version, chain, versionOf: ask }: DeployedQuestion): string {
  if (version === undefined || ask(listed) === version) return listed;
  return (chain.spec.supportedTemplates ?? []).find(({ name }) => ask(name) === version)?.name ?? listed;
}
