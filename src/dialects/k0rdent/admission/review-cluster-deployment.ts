import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { jsonEqual, type Json } from '../../../util/json.ts';
import { chartRenameText } from '../chart-rename.ts';
import type { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { ClusterTemplate } from '../kinds/template.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { checkCredential, findCredential } from './check-credential.ts';
import { checkConstraints, checkServices } from './check-deployed-services.ts';
import { checkProviders } from './check-providers.ts';
import { isTemplateJudged } from './get-judged.ts';
import { forbid, Refusal } from '../../../core/admission/refusal.ts';

export const invalidDeployment = 'the ClusterDeployment is invalid';

/** A ClusterDeployment that says nothing about its cluster gets the values of the template, and a rest in which to look at them. */
export async function defaultClusterDeployment({ object, oldObject }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { metadata, spec } = object as ClusterDeployment;
  if (spec.config !== undefined || metadata.deletionTimestamp !== undefined) return {};
  // Whoever changes a label does not mean to stop a cluster that runs.
  if (oldObject && jsonEqual(oldObject['spec'], spec)) return {};
  const template = await templateOf(object as ClusterDeployment, world);
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
  const [from, to] = [old?.spec.template, deployment.spec.template];
  if (old && from !== to && !old.status?.availableUpgrades?.includes(to))
    return forbid('cluster upgrade is forbidden', [
      `Cluster can't be upgraded from ${from} to ${to}. This upgrade sequence is not allowed`,
    ]);
  try {
    return { warnings: await check(old, deployment, world) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return forbid(`${invalidDeployment}: ${error.message}`, error.warnings);
  }
}

async function reviewDeletion({ namespace, name }: AdmissionRequest, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const region = (await world.regions()).find(({ spec: { clusterDeployment: ref } }) => ref?.namespace === namespace && ref.name === name);
  return region ? forbid(`ClusterDeployment cannot be deleted: referenced by Region "${region.metadata.name}"`) : {};
}

/** Of an update only what has changed. Answers with warnings. */
async function check(old: ClusterDeployment | undefined, deployment: ClusterDeployment, world: AdmissionWorld): Promise<string[]> {
  const { spec } = deployment;
  const hasNewTemplate = old?.spec.template !== spec.template;
  const hasNewCredential = old?.spec.credential !== spec.credential;
  const hasNewServices = !jsonEqual(old?.spec.serviceSpec?.services ?? [], spec.serviceSpec?.services ?? []);
  const template = await templateOf(deployment, world);
  if (hasNewTemplate) checkTemplate(deployment, template);
  if (hasNewTemplate || hasNewCredential) {
    const credential = await findCredential(deployment, world);
    if (hasNewTemplate) await checkProviders({ deployment, template, credential }, world);
    await checkCredential({ deployment, template, credential }, world);
  }
  if (old && !old.spec.dataSource !== !spec.dataSource) throw new Refusal('spec.dataSource cannot be added or removed after creation');
  if (hasNewServices) await checkServices(deployment, world);
  if (hasNewServices || hasNewTemplate) await checkConstraints(deployment, template, world);
  return old && hasNewTemplate && spec.dryRun ? warnOfOtherChart(old, template, world) : [];
}

const templateOf = ({ metadata, spec }: ClusterDeployment, world: AdmissionWorld): Promise<ClusterTemplate | undefined> =>
  world.getJudged(ClusterTemplate, { namespace: metadata.namespace!, name: spec.template }, isTemplateJudged);

function checkTemplate({ metadata: { namespace }, spec }: ClusterDeployment, template: ClusterTemplate | undefined): void {
  const name = `${namespace}/${spec.template}`;
  if (!template) throw new Refusal(`the ClusterTemplate ${name} is not found in namespace ${namespace}`);
  if (template.status?.valid) return;
  const why = template.status?.validationError ?? 'it has not been checked yet';
  throw new Refusal(`the ClusterTemplate ${name} is invalid with the error: ${why}`);
}

async function warnOfOtherChart(old: ClusterDeployment, next: ClusterTemplate | undefined, world: AdmissionWorld): Promise<string[]> {
  const present = await templateOf(old, world);
  const [from, to] = [present, next].map(one => one?.spec.helm.chartSpec?.chart);
  if (from === undefined || to === undefined || from === to) return [];
  return [chartRenameText({ from, to })];
}
