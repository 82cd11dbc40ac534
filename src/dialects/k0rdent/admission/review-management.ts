import { Secret } from '../../../api/builtin-kinds.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { jsonEqual, type Json } from '../../../util/json.ts';
import { currentRules, kindOfResource } from '../access-management-plan.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { k0rdent, systemNamespace } from '../kinds/group.ts';
import { Release, type AccessManagement, type Management, type Region } from '../kinds/management.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from './refusal.ts';

/** What the fields of old say is moved to where it belongs now. */
export async function defaultAccessManagement({ object }: AdmissionRequest): Promise<AdmissionAnswer> {
  const rules = (object as AccessManagement).spec.accessRules ?? [];
  const next = currentRules(rules);
  return jsonEqual(rules, next) ? {} : { patch: [{ op: 'replace', path: '/spec/accessRules', value: next as unknown as Json }] };
}

export async function reviewAccessManagement(request: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { operation, object, oldObject, name } = request;
  // Kinds may have gone since; that is said in the status.
  if (operation === 'UPDATE' && jsonEqual(oldObject?.['spec'], object?.['spec'])) return {};
  if (operation === 'DELETE') {
    const isNeeded = (await world.managements()).some(({ metadata }) => metadata.deletionTimestamp === undefined);
    return isNeeded
      ? forbid('AccessManagement deletion is forbidden', ["The AccessManagement object can't be removed while Management exists"])
      : {};
  }
  if (operation === 'CREATE' && (await world.accessManagements()).some(({ metadata }) => metadata.name !== name))
    return forbid('AccessManagement object already exists');
  const resources = currentRules((object as AccessManagement).spec.accessRules ?? []).flatMap(rule => rule.resources ?? []);
  for (const { apiGroup, kind } of resources.map(kindOfResource)) {
    const found = await world.findKind(apiGroup, apiGroup === k0rdent.group ? k0rdent.version : 'v1', kind);
    if (!found) return forbid(`the AccessManagement is invalid: the hub has no kind "${kind}" in the group "${apiGroup}"`);
    if (found.scope !== 'Namespaced') return forbid(`the AccessManagement is invalid: the kind "${kind}" has no namespaces`);
  }
  return {};
}

export async function reviewManagement(
  { operation, object, oldObject }: AdmissionRequest,
  world: AdmissionWorld,
): Promise<AdmissionAnswer> {
  if (operation === 'DELETE') {
    const forbidden = 'Management deletion is forbidden';
    if ((await world.regions()).length > 0)
      return forbid(forbidden, ["The Management object can't be removed if Region objects still exist"]);
    if ((await world.deployments()).length > 0)
      return forbid(forbidden, ["The Management object can't be removed if ClusterDeployment objects still exist"]);
    return {};
  }
  const { spec, metadata } = object as Management;
  const old = oldObject as Management | undefined;
  if (metadata.deletionTimestamp !== undefined || old?.spec.release === spec.release) return {};
  const release = await world.get(Release, { name: spec.release });
  if (!release) return forbid(`the Management is invalid: the Release ${spec.release} is not found`);
  return release.status?.ready ? {} : forbid(`the Management is invalid: the Release ${spec.release} is not ready`);
}

export async function reviewRegion(
  { operation, name, object, oldObject }: AdmissionRequest,
  world: AdmissionWorld,
): Promise<AdmissionAnswer> {
  if (operation === 'DELETE') {
    const credentials = new Set(
      (await world.credentials())
        .filter(({ spec }) => spec.region === name)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    );
    const isUsed = (await world.deployments()).some(({ metadata, spec }) => credentials.has(`${metadata.namespace}/${spec.credential}`));
    return isUsed
      ? forbid('Region deletion is forbidden', ["The Region object can't be removed if ClusterDeployments are deployed in it"])
      : {};
  }
  const { spec, metadata } = object as Region;
  const old = oldObject as Region | undefined;
  if (metadata.deletionTimestamp !== undefined || (old && jsonEqual(old.spec, spec))) return {};
  const isMoved =
    old && !(jsonEqual(old.spec.kubeConfig, spec.kubeConfig) && jsonEqual(old.spec.clusterDeployment, spec.clusterDeployment));
  if (isMoved) return forbid('the Region is invalid: kubeConfig and clusterDeployment are immutable');
  const { kubeConfig, clusterDeployment } = spec;
  if (kubeConfig) {
    const where = `${systemNamespace}/${kubeConfig.name}`;
    const secret = (await world.getAny(Secret, { namespace: systemNamespace, name: kubeConfig.name })) as Secret | undefined;
    if (!secret) return forbid(`the Region is invalid: the Secret ${where} is not found`);
    const key = kubeConfig.key || 'value';
    return secret.data?.[key] === undefined ? forbid(`the Region is invalid: the Secret ${where} has no key "${key}"`) : {};
  }
  if (!clusterDeployment || (await world.get(ClusterDeployment, clusterDeployment))) return {};
  const { namespace, name: wanted } = clusterDeployment;
  return forbid(`the Region is invalid: the ClusterDeployment ${namespace}/${wanted} is not found`);
}

export async function reviewReleaseDeletion({ name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const isUsed = (await world.managements()).some(({ spec, status }) => spec.release === name || status?.release === name);
  return isUsed ? forbid('Release deletion is forbidden', [`The Release ${name} is in use by Management`]) : {};
}
