import type { Service } from './kinds/service-spec.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';

export interface TemplateLookup {
  template(namespace: string, name: string): ServiceTemplate | undefined;
  chain(namespace: string, name: string): ServiceTemplateChain | undefined;
}

export const serviceNamespace = ({ namespace }: { namespace?: string | undefined }): string =>
  namespace === undefined || namespace === '' ? 'default' : namespace;

/** What tells services of one list apart. */
export const serviceKey = (service: { name: string; namespace?: string | undefined }): string =>
  `${serviceNamespace(service)}/${service.name}`;

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What is wrong with the templates of services, in the words of k0rdent; empty when nothing is. */
export function checkReferences(services: readonly Service[], namespace: string, known: TemplateLookup): string[] {
  return services.flatMap(service => checkReference(service, namespace, known));
}

function checkReference(service: Service, namespace: string, known: TemplateLookup): string[] {
  const faults = [service.name, serviceNamespace(service)].filter(name => !dnsLabel.test(name)).map(notLabel);
  const template = known.template(namespace, service.template);
  if (!template) faults.push(`the ServiceTemplate ${namespace}/${service.template} is not found in namespace ${namespace}`);
  else if (!template.status?.valid)
    faults.push(
      `the ServiceTemplate ${namespace}/${service.template} is invalid with the error: ${template.status?.validationError ?? 'it has not been checked yet'}`,
    );
  if (service.templateChain !== undefined && service.templateChain !== '') faults.push(...checkChain(service, namespace, known));
  return faults;
}

const notLabel = (name: string): string => `${JSON.stringify(name)} must be a DNS-1123 label`;

function checkChain({ template, templateChain = '' }: Service, namespace: string, known: TemplateLookup): string[] {
  const chain = known.chain(namespace, templateChain);
  const name = `the ServiceTemplateChain ${namespace}/${templateChain}`;
  if (!chain) return [`${name} is not found in namespace ${namespace}`];
  if (!chain.status?.valid) return [`${name} is invalid with the error: ${chain.status?.validationError ?? 'it has not been checked yet'}`];
  const isSupported = chain.spec.supportedTemplates?.some(one => one.name === template);
  return isSupported ? [] : [`${name} does not support ServiceTemplate ${template}`];
}

/** What is wrong with the dependencies between services: one that is not in the list, or a cycle. */
export function checkDependencies(services: readonly Service[]): string[] {
  const byKey = new Map(services.map(service => [serviceKey(service), service]));
  const faults = services.flatMap(service =>
    (service.dependsOn ?? [])
      .filter(needed => !byKey.has(serviceKey(needed)))
      .map(needed => `dependency ${serviceKey(needed)} of service ${serviceKey(service)} is not defined as a service`),
  );
  const cycle = findCycle([...byKey.keys()], key => (byKey.get(key)?.dependsOn ?? []).map(serviceKey));
  return cycle === undefined ? faults : [...faults, `dependency cycle detected at ${cycle}`];
}

/** A node from which one comes back to itself, the first in order; undefined when there is none. */
export function findCycle(nodes: readonly string[], next: (node: string) => readonly string[]): string | undefined {
  const state = new Map<string, 'open' | 'done'>();
  for (const start of nodes) {
    const found = visit(start);
    if (found !== undefined) return found;
  }
  return undefined;

  /** Without recursion: lists may be long. */
  function visit(start: string): string | undefined {
    const stack: { node: string; rest: string[] }[] = [];
    const enter = (node: string) => {
      state.set(node, 'open');
      stack.push({ node, rest: [...next(node)] });
    };
    if (!state.has(start)) enter(start);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const to = top.rest.shift();
      if (to === undefined) {
        state.set(top.node, 'done');
        stack.pop();
      } else if (state.get(to) === 'open') return to;
      else if (!state.has(to)) enter(to);
    }
    return undefined;
  }
}
