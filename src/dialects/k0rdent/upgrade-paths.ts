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

/** The template to go to next on the way to another; undefined when the chain has no way. The lowest version comes first, so that none is left out. */
export function nextStep(current: string, wanted: string, chain: ServiceTemplateChain): Step | undefined {
  const ways = waysOf(chain);
  const steps = (ways.get(current) ?? []).filter(
    step => step.name === wanted || longestWays(step.name, without(ways, current)).has(wanted),
  );
  return steps.sort(
    (a, b) => compareSteps(a, b) || lengthTo(b, wanted, ways) - lengthTo(a, wanted, ways) || compareTexts(a.name, b.name),
  )[0];
}

const without = (ways: Ways, name: string): Ways => new Map([...ways].filter(([from]) => from !== name));

const lengthTo = (step: Step, wanted: string, ways: Ways): number => longestWays(step.name, ways).get(wanted)?.length ?? 0;

/** Zero where a version is none that can be compared. */
function compareSteps(a: Step, b: Step): number {
  const [first, second] = [readVersion(a.version), readVersion(b.version)];
  return first && second ? compareVersions(first, second) : 0;
}

function readVersion(text: string): Version | undefined {
  try {
    return parseVersion(text);
  } catch {
    return undefined;
  }
}
