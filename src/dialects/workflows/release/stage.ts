import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { colorOf, findServices, otherColor, withColor, withRole, type ServicePair } from './blue-green-services.ts';
import { adoptedOf, adoptWorkload } from './adopt-workload.ts';
import type { Color } from './book.ts';
import { autoscalerFor, scales, suffixed } from './companions.ts';
import { composeWork, find, keyOf, merged, nextWork } from './compose-work.ts';
import { withCause } from './label-workload.ts';
import { mainWorkloads, nameOf } from './managed-workloads.ts';
import { markKey } from './marks.ts';
import { templateLabelsOf, withSelectorLabels, withTemplateLabels } from './pod-template.ts';
import { prepareLog, versionedObjects } from './prepare-release.ts';
import { numberFor, openRecordOf, succeededBefore, withRecord } from './release-numbers.ts';
import { openRecord, withRevisions, withStatus } from './release-record.ts';
import { retain, tidied } from './retention.ts';
import { releaseOutputs } from './rolling.ts';
import type { UnitLog } from './step-log.ts';
import type { BlueGreenState, NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';
import { liveRevisions, wrapUp } from './wrap-up.ts';

const noWorkload =
  "No workload found in the Manifests. Can't do Blue/Green Deployment. Only Deployment, DeploymentConfig (OpenShift) and StatefulSet workloads are supported in Blue/Green workflow type.";
const manyWorkloads = (prefix: string) =>
  `There are multiple workloads in the Service Manifests you are deploying. Blue/Green Workflows support a single Deployment, DeploymentConfig (OpenShift) or StatefulSet workload only. To deploy additional workloads in Manifests, annotate them with ${markKey(prefix, 'direct-apply')}: true`;
const conflicting = (name: string | undefined, prefix: string) =>
  `Found conflicting service [${name}] in the cluster. For blue/green deployment, the label [${markKey(prefix, 'color')}] is required in service selector. Delete this existing service to proceed`;

/** The Services, and the workloads of both colors and of none. */
export function neededOfStage({ rendered, settings }: OfflineInput): ObjectRef[] {
  const pair = findServices(rendered, settings.labelPrefix);
  const services = typeof pair === 'string' ? [] : [pair.primary, pair.stage];
  const workloads = mainWorkloads(rendered, settings.labelPrefix).flatMap(obj => [obj, suffixed(obj, '-blue'), suffixed(obj, '-green')]);
  return [...services, ...workloads].map(refOf);
}

export function beginStage(input: StepInput): StepBegin {
  const { release, run, book, settings, present } = input;
  const { labelPrefix: prefix } = settings;
  const log = prepareLog(input);
  const failed = (message: string): StepBegin => ({ outcome: 'failed', message, lines: log.error(message).failed().lines });
  const [workload, ...others] = mainWorkloads(input.rendered, prefix);
  if (!workload) return failed(noWorkload);
  if (others.length > 0) return failed(manyWorkloads(prefix));
  const pair = findServices(input.rendered, prefix, log);
  if (typeof pair === 'string') return failed(pair);
  const colors = chooseColors(input, pair, workload, log);
  if (!colors) return failed(conflicting(pair.primary.metadata.name, prefix));

  const number = numberFor(input);
  const previous = succeededBefore(book, number);
  log.info('Cleaning up non primary releases').info(`Current release number is: ${number}`).info('Versioning resources.');
  const { stageColor, key } = colors;
  const versioned = versionedObjects(input, number);
  const main = versioned.find(obj => keyOf(obj) === keyOf(workload)) ?? workload;
  const staged = stagedWorkload(main, { key, color: stageColor, prefix, releaseName: release.name, run: run.name });
  const rest = versioned
    .filter(obj => ![main, workload, pair.primary, pair.stage].some(one => keyOf(one) === keyOf(obj)))
    .map(obj => (scales(obj, main) ? autoscalerFor(obj, `-${stageColor}`) : obj));
  const primary = withRole(colors.isAdopting ? pair.primary : withColor(pair.primary, key, colors.primaryColor), prefix, 'primary-service');
  const stage = withRole(withColor(pair.stage, key, stageColor), prefix, 'stage-service');
  const adopted = colors.isAdopting ? adoptWorkload(workload, { ...input, key, color: colors.primaryColor }) : [];
  const objects = [...rest, primary, stage, staged];
  log.info(`Workload to deploy is: ${nameOf(staged)}`);

  const environment = 'stage';
  const pruning = settings.prune.enabled;
  const { record, large } = openRecord({ release, number, prefix, pruning, color: stageColor, environment, objects, run });
  const { kept, gone } = tidied(input, number, ({ color }) => color === stageColor);
  const outlived = new Set(adoptedOf(present, stageColor).map(keyOf));
  const next = merged(
    present.filter(obj => !outlived.has(keyOf(obj))),
    adopted,
    objects,
  );
  const retained = retain({ release, prefix, kept, gone, objects: next });
  const blueGreen: BlueGreenState = {
    primaryService: pair.primary.metadata.name ?? '',
    stageService: pair.stage.metadata.name ?? '',
    primaryColorBefore: colors.primaryColorBefore,
    stageColor,
    swapped: false,
  };
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(retained.objects, withRecord(kept, record)), {
      remove: retained.remove,
      contents: large ? [large] : [],
      lines: log.done().lines,
      status: { releaseNumber: number, ...(previous && { previousRelease: previous.number }), blueGreen },
      outputs: {
        ...releaseOutputs(release.name, number),
        primaryServiceName: blueGreen.primaryService,
        stageServiceName: blueGreen.stageService,
      },
    }),
    await: [...adopted, staged].map(refOf),
  };
}

interface Colors {
  readonly key: string;
  readonly primaryColor: Color;
  readonly stageColor: Color;
  /** Empty when nothing of that color runs. */
  readonly primaryColorBefore: Color | '';
  /** Whether the primary Service has no color yet and is given one. */
  readonly isAdopting: boolean;
}

/** Undefined when there is a Service that knows no colors. */
function chooseColors(input: StepInput, { primary, stage }: ServicePair, workload: KubeObject, log: UnitLog): Colors | undefined {
  const { labelPrefix: prefix } = input.settings;
  const live = input.live(refOf(primary));
  if (!live) log.info(`Primary Service [${primary.metadata.name}] not found in cluster.`);
  if (!input.live(refOf(stage))) log.info(`Stage Service [${stage.metadata.name}] not found in cluster.`);
  const { key, color } = colorOf(live, prefix);
  if (live && !color && input.with['adoptExistingService'] !== true) return undefined;
  const isAdopting = live !== undefined && !color;
  const primaryColor = color ?? (isAdopting ? 'blue' : 'green');
  const stageColor = otherColor(primaryColor);
  log.info(`Primary Service is at color: ${primaryColor}`).info(`Stage Service is at color: ${stageColor}`);
  const runs =
    isAdopting ||
    adoptedOf(input.present, primaryColor).length > 0 ||
    input.live(refOf(suffixed(workload, `-${primaryColor}`))) !== undefined;
  return { key, primaryColor, stageColor, primaryColorBefore: runs ? primaryColor : '', isAdopting };
}

interface Staging {
  readonly key: string;
  readonly color: Color;
  readonly prefix: string;
  readonly releaseName: string;
  readonly run: string;
}

function stagedWorkload(workload: KubeObject, { key, color, prefix, releaseName, run }: Staging): KubeObject {
  const labels = { [key]: color };
  const named = withCause(suffixed(workload, `-${color}`), run);
  return withTemplateLabels(withSelectorLabels(named, labels), { ...labels, [markKey(prefix, 'release-name')]: releaseName });
}

export function endStage(input: StepInput, result: 'steady' | 'failed'): NextWork {
  const { book, present, clusterRun, settings } = input;
  const open = openRecordOf(input);
  const { blueGreen } = clusterRun;
  if (!open || result === 'failed') {
    return nextWork(composeWork(present, open ? withRecord(book.records, withStatus(open, 'Failed')) : book.records));
  }
  const revisions = liveRevisions(mainWorkloads(present, settings.labelPrefix).filter(isOfColor(open.color)), input);
  const records = withRecord(book.records, withRevisions(withStatus(open, 'Succeeded'), revisions));
  return nextWork(composeWork(blueGreen ? withColoredPrimary(input, blueGreen) : present, records), wrapUp(input));

  function isOfColor(color: Color | undefined): (obj: KubeObject) => boolean {
    return obj => color !== undefined && Object.values(templateLabelsOf(obj)).includes(color);
  }
}

/** A Service that had no color gets one only when the pods bear it. */
function withColoredPrimary({ present, release, settings }: StepInput, blueGreen: BlueGreenState): readonly KubeObject[] {
  const ref = { group: '', version: 'v1', kind: 'Service', namespace: release.namespace, name: blueGreen.primaryService };
  const primary = find(present, ref);
  const before = blueGreen.primaryColorBefore;
  const { key, color } = colorOf(primary, settings.labelPrefix);
  if (!primary || color || (before !== 'blue' && before !== 'green')) return present;
  return merged(present, [withColor(primary, key, before)]);
}
