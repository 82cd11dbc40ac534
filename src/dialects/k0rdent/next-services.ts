import { compareTexts } from '../../util/compare-texts.ts';
import { jsonEqual } from '../../util/json.ts';
import type { SetService } from './kinds/service-set.ts';
import type { Service, ServiceState } from './kinds/service-spec.ts';
import type { ServiceTemplateChain } from './kinds/template.ts';
import { deployedTemplate, nextStep, versionOf } from './upgrade-paths.ts';
import { serviceKey, serviceNamespace, type TemplateLookup } from './validate-services.ts';

export interface NextServicesInput {
  /** What the owner wants. */
  readonly desired: readonly Service[];
  /** What its ServiceSet on the cluster says now. */
  readonly stored: readonly SetService[];
  /** How that is going. */
  readonly observed: readonly ServiceState[];
  /** Where the templates are looked up. */
  readonly namespace: string;
  readonly known: TemplateLookup;
  /** Whether nothing is deployed, only told: then nothing waits for anything. */
  readonly isDryRun?: boolean;
  /** Whether another owner has the service on the cluster, healthy and at this version or a newer one. */
  isThereAnyway?(key: string, version: string): boolean;
}

export interface NextServices {
  readonly services: SetService[];
  /** What is wrong for this cluster. */
  readonly errors: string[];
  /** Services whose template cannot be reached from the present one along their chain. */
  readonly blocked: { readonly key: string; readonly message: string }[];
  /** Services that wait for others, by key. */
  readonly waiting: ReadonlyMap<string, readonly string[]>;
}

/**
 * What the ServiceSet of an owner on a cluster should say next. Dependents wait, and are left as they are, while what they depend on is not deployed at
 * the wanted version; along a chain every service takes one step at a time.
 */
export function nextServices(input: NextServicesInput): NextServices {
  const { desired, stored, observed, known, namespace, isDryRun = false, isThereAnyway = () => false } = input;
  const storedByKey = new Map(stored.map(one => [serviceKey(one), one]));
  const observedByKey = new Map(observed.map(one => [serviceKey(one), one]));
  const desiredByKey = new Map(desired.map(one => [serviceKey(one), one]));
  const errors: string[] = [];
  const blocked: NextServices['blocked'] = [];
  const waiting = new Map<string, string[]>();
  const eligible: SetService[] = [];
  const locked: SetService[] = [];

  for (const service of desired) {
    const key = serviceKey(service);
    const present = storedByKey.get(key);
    const absent = (service.dependsOn ?? []).map(serviceKey).filter(needed => !desiredByKey.has(needed));
    errors.push(...absent.map(needed => `service ${key} depends on ${needed} which is not present in the desired services list`));
    const missing = (service.dependsOn ?? []).map(serviceKey).filter(needed => desiredByKey.has(needed) && !isSatisfied(needed));
    if (missing.length > 0) waiting.set(key, missing);
    const isHeld = absent.length > 0 || missing.length > 0 || service.disable === true;
    if (!isHeld) eligible.push(step(service, present));
    else if (present) locked.push(present);
  }
  const order = new Map(stored.map((one, i) => [serviceKey(one), i]));
  const inFlight = eligible.filter(one => storedByKey.has(serviceKey(one)) && !isDeployed(one));
  const rest = eligible.filter(one => !inFlight.includes(one)).sort((a, b) => compareTexts(serviceKey(a), serviceKey(b)));
  inFlight.sort((a, b) => order.get(serviceKey(a))! - order.get(serviceKey(b))!);
  const services = [...inFlight, ...rest, ...locked];
  // Who is locked changes with every word from the cluster: a list that says nothing new stays in its order, or it would be written for ever.
  return { services: saysTheSame(services) ? [...stored] : services, errors, blocked, waiting };

  function saysTheSame(list: readonly SetService[]): boolean {
    return list.length === stored.length && list.every(one => jsonEqual(one, storedByKey.get(serviceKey(one))));
  }

  function isSatisfied(key: string): boolean {
    if (isDryRun) return true;
    const service = desiredByKey.get(key)!;
    const wanted = versionOf(service, known.template(namespace, service.template));
    const present = storedByKey.get(key);
    const state = observedByKey.get(key);
    const isOwn = state?.state === 'Deployed' && present?.version === wanted && state.version === wanted;
    return isOwn || isThereAnyway(key, wanted);
  }

  /** Whether the set has the service deployed as it says. */
  function isDeployed(service: SetService): boolean {
    const present = storedByKey.get(serviceKey(service));
    const state = observedByKey.get(serviceKey(service));
    return state?.state === 'Deployed' && state.version === present?.version;
  }

  function step(service: Service, present: SetService | undefined): SetService {
    if (!present) return entry(service, service.template, versionOf(service, known.template(namespace, service.template)));
    const { template, version } = target(service, present);
    return entry(service, template, version);
  }

  function target(service: Service, present: SetService): { template: string; version: string } {
    const wanted = { template: service.template, version: versionOf(service, known.template(namespace, service.template)) };
    const stay = { template: present.template, version: present.version ?? present.template };
    if (present.template === service.template) return wanted;
    const seen = observedByKey.get(serviceKey(service));
    if (isDryRun && seen && seen.state !== 'Deployed') return wanted;
    // One that failed, or was outranked, can be sent elsewhere at once; one that is under way arrives first.
    const hasFailed = !isDryRun && seen?.state === 'Failed';
    const isUnderWay = isDryRun ? !seen : !isDeployed(present) && !hasFailed;
    if (isUnderWay) return stay;
    if (service.templateChain === undefined || service.templateChain === '') return wanted;
    const chain = known.chain(namespace, service.templateChain);
    if (hasFailed && seen.version === undefined) return wanted;
    // A plan goes on from what is deployed, not from what it said itself.
    const planned = isDryRun && seen ? seen.template : present.template;
    const from = chain && hasFailed ? whatIsThere(present, seen, chain) : planned;
    if (from === service.template) return wanted;
    const next = chain && nextStep({ from, to: service.template, chain, version: chartVersion });
    if (!next) {
      const key = serviceKey(service);
      blocked.push({ key, message: `service ${key} can't be upgraded from ${from} to ${service.template}` });
      return stay;
    }
    if (next.name === service.template) return wanted;
    return { template: next.name, version: versionOf({ template: next.name }, known.template(namespace, next.name)) };
  }

  function chartVersion(template: string): string | undefined {
    const found = known.template(namespace, template);
    return found?.spec.version ?? found?.spec.helm?.chartSpec?.version ?? found?.status?.chartVersion;
  }

  /** A failed upgrade was rolled back: the way goes on from what was there before. */
  function whatIsThere(listed: SetService, { version }: ServiceState, chain: ServiceTemplateChain): string {
    const ask = (template: string) => versionOf({ template }, known.template(namespace, template));
    return deployedTemplate({ listed: listed.template, version, chain, versionOf: ask });
  }
}

function entry(service: Service, template: string, version: string): SetService {
  const { name, values, valuesFrom, helmOptions, helmAction } = service;
  return {
    name,
    namespace: serviceNamespace(service),
    template,
    version,
    ...(values !== undefined && { values }),
    ...(valuesFrom !== undefined && { valuesFrom }),
    ...(helmOptions !== undefined && { helmOptions }),
    ...(helmAction !== undefined && { helmAction }),
  };
}
