import { StatusError } from '../../../api/status.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { checkConstraint } from '../../../render/semver/semver.ts';
import { jsonEqual, type Json } from '../../../util/json.ts';
import type { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { Credential } from '../kinds/management.ts';
import { ClusterTemplate, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';
import { checkDependencies, checkReferences } from '../validate-services.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid, Refusal } from './refusal.ts';

type Services = NonNullable<NonNullable<ClusterDeployment['spec']['serviceSpec']>['services']>;

/** Drover itself. */
const internalProvider = 'infrastructure-internal';

/** A ClusterDeployment that says nothing about its cluster gets the values of the template, and a rest in which to look at them. */
export async function defaultClusterDeployment({ object, oldObject }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { metadata, spec } = object as ClusterDeployment;
  if (spec.config !== undefined || metadata.deletionTimestamp !== undefined) return {};
  // Whoever changes a label does not mean to stop a cluster that runs.
  if (oldObject && jsonEqual(oldObject['spec'], spec)) return {};
  const template = await world.get(ClusterTemplate, { namespace: metadata.namespace!, name: spec.template });
  if (!template?.status?.valid || template.status.config === undefined) return {};
  return {
    patch: [
      { op: 'add', path: '/spec/config', value: template.status.config as Json },
      { op: 'add', path: '/spec/dryRun', value: true },
    ],
  };
}

export async function reviewClusterDeployment(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') return reviewDeletion(request, world);
  const deployment = object as ClusterDeployment;
  const old = oldObject as ClusterDeployment | undefined;
  const isUnchanged = old !== undefined && jsonEqual(old.spec, deployment.spec);
  if (isUnchanged || deployment.metadata.deletionTimestamp !== undefined) return {};
  if (old) {
    const answer = reviewUpgrade(old, deployment);
    if (answer) return answer;
    if ((old.spec.dataSource === undefined) !== (deployment.spec.dataSource === undefined))
      return forbid('the ClusterDeployment is invalid: spec.dataSource can be neither added nor removed');
  }
  try {
    await check(old, deployment, world);
    return {};
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return forbid(`the ClusterDeployment is invalid: ${error.message}`);
  }
}

async function reviewDeletion({ namespace, name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const region = (await world.regions()).find(({ spec: { clusterDeployment: ref } }) => ref?.namespace === namespace && ref.name === name);
  return region ? forbid(`ClusterDeployment cannot be deleted: referenced by Region "${region.metadata.name}"`) : {};
}

function reviewUpgrade(old: ClusterDeployment, { spec }: ClusterDeployment): AdmissionAnswer | undefined {
  const [from, to] = [old.spec.template, spec.template];
  if (from === to || old.status?.availableUpgrades?.includes(to)) return undefined;
  return {
    refusal: new StatusError(403, 'Forbidden', 'cluster upgrade is forbidden'),
    warnings: [`Cluster can't be upgraded from ${from} to ${to}. This upgrade sequence is not allowed`],
  };
}

/** Of an update only what has changed. */
async function check(old: ClusterDeployment | undefined, deployment: ClusterDeployment, world: AdmissionWorld): Promise<void> {
  const { spec, metadata } = deployment;
  const namespace = metadata.namespace!;
  const hasNewTemplate = old?.spec.template !== spec.template;
  const hasNewServices = !jsonEqual(old?.spec.serviceSpec?.services ?? [], spec.serviceSpec?.services ?? []);
  const template = await world.get(ClusterTemplate, { namespace, name: spec.template });
  if (hasNewTemplate) await checkTemplate(namespace, spec.template, template, world);
  if (hasNewTemplate || old?.spec.credential !== spec.credential) await checkCredential(deployment, template, world);
  if (hasNewServices || hasNewTemplate) await checkServices(deployment, template, world);
}

async function checkTemplate(namespace: string, name: string, template: ClusterTemplate | undefined, world: AdmissionWorld): Promise<void> {
  if (!template) throw new Refusal(`the ClusterTemplate ${namespace}/${name} is not found in namespace ${namespace}`);
  if (!template.status?.valid)
    throw new Refusal(
      `the ClusterTemplate ${namespace}/${name} is invalid with the error: ${template.status?.validationError ?? 'it has not been checked yet'}`,
    );
  const available = (await world.managements()).flatMap(({ status }) => status?.availableProviders ?? []);
  // A hub that does not know which providers run beside it does not stand in the way.
  if (available.length === 0) return;
  const missing = (template.status.providers ?? []).filter(one => one !== internalProvider && !available.includes(one));
  if (missing.length > 0) throw new Refusal(`one or more required providers are not deployed yet: [${missing.join(' ')}]`);
}

async function checkCredential(
  { metadata, spec }: ClusterDeployment,
  template: ClusterTemplate | undefined,
  world: AdmissionWorld,
): Promise<void> {
  if (!spec.credential) return;
  const name = `${metadata.namespace}/${spec.credential}`;
  const credential = await world.get(Credential, { namespace: metadata.namespace!, name: spec.credential });
  if (!credential) throw new Refusal(`the Credential ${name} is not found in namespace ${metadata.namespace}`);
  if (!credential.status?.ready) throw new Refusal(`the Credential ${name} is not Ready`);
  const { kind } = credential.spec.identityRef;
  if (template?.status?.providers?.includes(internalProvider) && kind !== 'Secret')
    throw new Refusal(`wrong kind of the ClusterIdentity "${kind}" for provider "${internalProvider}"`);
}

async function checkServices(
  { metadata, spec }: ClusterDeployment,
  clusterTemplate: ClusterTemplate | undefined,
  world: AdmissionWorld,
): Promise<void> {
  const services = spec.serviceSpec?.services ?? [];
  const namespace = metadata.namespace!;
  const templates = await lookUp(
    services.map(one => one.template),
    name => world.get(ServiceTemplate, { namespace, name }),
  );
  const chains = await lookUp(
    services.map(one => one.templateChain ?? ''),
    name => world.get(ServiceTemplateChain, { namespace, name }),
  );
  const known = { template: (_: string, name: string) => templates.get(name), chain: (_: string, name: string) => chains.get(name) };
  const references = checkReferences(services, namespace, known);
  if (references.length > 0) throw new Refusal(['some services have invalid templates', ...references].join('\n'));
  const dependencies = checkDependencies(services);
  if (dependencies.length > 0) throw new Refusal(['some services have invalid dependencies', ...dependencies].join('\n'));
  checkConstraints(services, { version: clusterTemplate?.status?.k8sVersion, namespace, templates });
}

function checkConstraints(
  services: Services,
  { version, namespace, templates }: { version: string | undefined; namespace: string; templates: ReadonlyMap<string, ServiceTemplate> },
): void {
  if (version === undefined) return;
  for (const { template } of services) {
    const constraint = templates.get(template)?.status?.k8sConstraint;
    if (constraint && !checkConstraint(constraint, version))
      throw new Refusal(`k8s version ${version} does not satisfy constraint ${constraint} of the ServiceTemplate ${namespace}/${template}`);
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
