import { notFound, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { invalidObject } from '../../../api/status.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { chainFaults } from '../check-chain.ts';
import type { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../kinds/multi-cluster-service.ts';
import { k0rdent, k0rdentLabels, systemNamespace } from '../kinds/group.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';
import { templatesOf } from '../release-controller.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from '../../../core/admission/refusal.ts';
import { namedTemplates } from './review-management.ts';

const deletionForbidden = 'template deletion is forbidden';

/** Templates stay while somebody uses them. */
export async function reviewTemplateDeletion(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { kind, namespace, name, oldObject } = request;
  const stays = (why: string) => forbid(deletionForbidden, [`The ${why}`]);
  for (const [user, namespaces] of Object.entries(await namespacesOfUsers(request, world)))
    if (await isUsedFrom(namespaces, request, world))
      return stays(`${kind} object can't be removed if ${user} objects referencing it still exist`);
  const chains = await owningChains(oldObject, world);
  if (chains.length > 0) return stays(`${kind} object can't be removed if it is managed by ${kind}Chain: ${chains.join(', ')}`);
  if (kind !== ServiceTemplate.kind || namespace !== systemNamespace) return {};
  const services = (await world.services())
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(serves(name))
    .map(({ metadata }) => metadata.name);
  if (services.length === 0) return {};
  return stays(
    `${name} ServiceTemplate object can't be removed if MultiClusterService objects [${services.join(',')}] referencing it still exist`,
  );
}

const serves =
  (template: string) =>
  ({ spec }: Pick<MultiClusterService | ClusterDeployment, 'spec'>): boolean =>
    spec.serviceSpec?.services?.some(one => one.template === template) === true;

/** Where those are that name a template, whichever namespace's. */
async function namespacesOfUsers({ kind, name }: AdmissionRequest, world: AdmissionWorld): Promise<Record<string, string[]>> {
  const places = (users: readonly KubeObject[]) => users.map(({ metadata }) => metadata.namespace!);
  const deployments = await world.deployments();
  if (kind === ClusterTemplate.kind) return { ClusterDeployment: places(deployments.filter(({ spec }) => spec.template === name)) };
  const services = (await world.namespacedServices()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return {
    ClusterDeployment: places(deployments.filter(serves(name))),
    NamespacedMultiClusterService: places(services.filter(serves(name))),
  };
}

/** From its own namespace, or from another that was granted it and has none of its own. */
async function isUsedFrom(
  namespaces: readonly string[],
  { kind, namespace, name }: AdmissionRequest,
  world: AdmissionWorld,
): Promise<boolean> {
  if (namespace !== systemNamespace || namespaces.includes(namespace)) return namespaces.includes(namespace);
  const templateKind = kind === ClusterTemplate.kind ? ClusterTemplate : ServiceTemplate;
  for (const user of new Set(namespaces)) {
    const key = { namespace: user, name };
    if (!(await world.getAny(templateKind, key)) && (await world.isGranted(templateKind, key))) return true;
  }
  return false;
}

async function owningChains(template: KubeObject | undefined, world: AdmissionWorld): Promise<string[]> {
  const namespace = template?.metadata.namespace ?? '';
  const names: string[] = [];
  for (const { kind, name, uid } of template?.metadata.ownerReferences ?? []) {
    const chainKind = [ServiceTemplateChain, ClusterTemplateChain].find(one => one.kind === kind);
    const chain = chainKind && (await world.get(chainKind, { namespace, name }));
    if (chain?.metadata.uid === uid && chain.metadata.deletionTimestamp === undefined) names.push(name);
  }
  return names;
}

export async function reviewProviderTemplateDeletion({ name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const stays = (why: string) => forbid(deletionForbidden, [`The ProviderTemplate ${name} cannot be removed while it is ${why}`]);
  const releases = (await world.releases()).filter(one => templatesOf(one).includes(name)).map(({ metadata }) => metadata.name);
  if (releases.length > 0) return stays(`part of existing Releases: ${releases.join(', ')}`);
  const managements = (await world.managements()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return managements.some(one => namedTemplates(one).includes(name)) ? stays('used in the Management spec') : {};
}

/** Chains name templates that are there, unless they were given to a namespace and bring theirs along. */
export async function reviewChain({ kind, object }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { metadata, spec } = object as ServiceTemplateChain;
  const faults = chainFaults(spec);
  if (faults.length > 0) return forbid('the template chain spec is invalid', faults);
  const errors: FieldError[] = [];
  const isGiven = metadata.labels?.[k0rdentLabels.managed] === 'true' && metadata.namespace !== systemNamespace;
  const templateKind = kind === ServiceTemplateChain.kind ? ServiceTemplate : ClusterTemplate;
  for (const [i, { name }] of isGiven ? [] : (spec.supportedTemplates ?? []).entries()) {
    const found = await world.getAny(templateKind, { namespace: metadata.namespace!, name });
    if (!found) errors.push(notFound(`spec.supportedTemplates[${i}].name`, name));
  }
  return errors.length === 0 ? {} : { refusal: invalidObject({ group: k0rdent.group, kind }, metadata.name ?? '', errors) };
}
