import { invalid, notFound, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { invalidObject } from '../../../api/status.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { checkChain } from '../check-chain.ts';
import { k0rdent, k0rdentLabels, systemNamespace } from '../kinds/group.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';
import { templatesOf } from '../release-controller.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from './refusal.ts';

const deletionForbidden = 'template deletion is forbidden';
const stillUsed = (kind: string, users: string): string =>
  `The ${kind} object can't be removed if ${users} objects referencing it still exist`;

/** Templates stay while somebody uses them. */
export async function reviewTemplateDeletion(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { kind, namespace, name, oldObject } = request;
  const deployments = await world.deployments(namespace);
  const isUsed = deployments.some(({ spec }) =>
    kind === ClusterTemplate.kind ? spec.template === name : spec.serviceSpec?.services?.some(one => one.template === name) === true,
  );
  if (isUsed) return forbid(deletionForbidden, [stillUsed(kind, 'ClusterDeployment')]);
  if (await isOwnedByChain(oldObject, world)) return forbid(deletionForbidden, [`The ${kind} belongs to a chain that still exists`]);
  if (kind !== ServiceTemplate.kind || namespace !== systemNamespace) return {};
  const services = await world.services();
  const isSelected = services.some(({ spec }) => spec.serviceSpec?.services?.some(one => one.template === name) === true);
  return isSelected ? forbid(deletionForbidden, [stillUsed(kind, 'MultiClusterService')]) : {};
}

async function isOwnedByChain(template: KubeObject | undefined, world: AdmissionWorld): Promise<boolean> {
  const namespace = template?.metadata.namespace ?? '';
  for (const { kind, name, uid } of template?.metadata.ownerReferences ?? []) {
    const chainKind = [ServiceTemplateChain, ClusterTemplateChain].find(one => one.kind === kind);
    const chain = chainKind && (await world.get(chainKind, { namespace, name }));
    if (chain?.metadata.uid === uid && chain.metadata.deletionTimestamp === undefined) return true;
  }
  return false;
}

export async function reviewProviderTemplateDeletion({ name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const release = (await world.releases()).find(one => templatesOf(one).includes(name));
  if (release) return forbid(deletionForbidden, [`The ProviderTemplate ${name} is part of the Release ${release.metadata.name}`]);
  const isUsed = (await world.managements()).some(({ spec: { core, providers = [] } }) =>
    [core?.kcm, core?.capi, ...(providers as { template?: string }[])].some(one => one?.template === name),
  );
  return isUsed ? forbid(deletionForbidden, [stillUsed('ProviderTemplate', 'Management')]) : {};
}

/** Chains name templates that are there, unless they were given to a namespace and bring theirs along. */
export async function reviewChain({ kind, object }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { metadata, spec } = object as ServiceTemplateChain;
  const fault = checkChain(spec);
  const errors: FieldError[] = fault === undefined ? [] : [invalid('spec', metadata.name, fault)];
  const isGiven = metadata.labels?.[k0rdentLabels.managed] === 'true' && metadata.namespace !== systemNamespace;
  const templateKind = kind === ServiceTemplateChain.kind ? ServiceTemplate : ClusterTemplate;
  for (const [i, { name }] of isGiven ? [] : (spec.supportedTemplates ?? []).entries()) {
    const found = await world.getAny(templateKind, { namespace: metadata.namespace!, name });
    if (!found) errors.push(notFound(`spec.supportedTemplates[${i}].name`, name));
  }
  return errors.length === 0 ? {} : { refusal: invalidObject({ group: k0rdent.group, kind }, metadata.name ?? '', errors) };
}
