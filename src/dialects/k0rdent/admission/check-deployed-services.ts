import { checkConstraint } from '../../../render/semver/semver.ts';
import type { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { ServiceTemplate, ServiceTemplateChain, type ClusterTemplate } from '../kinds/template.ts';
import { checkDependencies, checkReferences } from '../validate-services.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { isChainJudged, isTemplateJudged } from './get-judged.ts';
import { Refusal } from '../../../core/admission/refusal.ts';

/** The templates and chains of services must be there and be good, and services may wait only for each other. */
export async function checkServices({ metadata, spec }: ClusterDeployment, world: AdmissionWorld): Promise<void> {
  const services = spec.serviceSpec?.services ?? [];
  const namespace = metadata.namespace!;
  const templates = await lookUp(
    services.map(one => one.template),
    name => world.getJudged(ServiceTemplate, { namespace, name }, isTemplateJudged),
  );
  const chains = await lookUp(
    services.map(one => one.templateChain ?? ''),
    name => world.getJudged(ServiceTemplateChain, { namespace, name }, isChainJudged),
  );
  const known = { template: (_: string, name: string) => templates.get(name), chain: (_: string, name: string) => chains.get(name) };
  const references = checkReferences(services, namespace, known);
  if (references.length > 0) throw new Refusal(['some services have invalid templates', ...references].join('\n'));
  const dependencies = checkDependencies(services);
  if (dependencies.length > 0) throw new Refusal(['some services have invalid dependencies', ...dependencies].join('\n'));
}

/** Services must be for the version of Kubernetes that the cluster will have. */
export async function checkConstraints(
  { metadata, spec }: ClusterDeployment,
  clusterTemplate: ClusterTemplate | undefined,
  world: AdmissionWorld,
): Promise<void> {
  const version = clusterTemplate?.status?.k8sVersion;
  if (!version) return;
  const namespace = metadata.namespace!;
  const services = (spec.serviceSpec?.services ?? []).filter(({ disable }) => !disable);
  const templates = await lookUp(
    services.map(one => one.template),
    name => world.getJudged(ServiceTemplate, { namespace, name }, isTemplateJudged),
  );
  for (const [name, { status }] of templates) {
    const constraint = status?.k8sConstraint;
    if (!constraint || checkConstraint(constraint, version)) continue;
    const [cluster, service, deployment] = [spec.template, name, metadata.name].map(one => `${namespace}/${one}`);
    throw new Refusal(
      `failed to validate k8s compatibility: k8s version ${version} of the ClusterTemplate ${cluster} does not satisfy k8s constraint ${constraint} ` +
        `from the ServiceTemplate ${service} referred in the ClusterDeployment ${deployment}`,
      ['Failed to validate k8s version compatibility with ServiceTemplates'],
    );
  }
}

async function lookUp<T>(names: readonly string[], find: (name: string) => Promise<T | undefined>): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for (const name of new Set(names)) {
    const obj = name === '' ? undefined : await find(name);
    if (obj) found.set(name, obj);
  }
  return found;
}
