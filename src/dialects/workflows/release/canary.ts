import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { autoscalerFor, budgetFor, protects, scales, suffixed } from './companions.ts';
import { composeWork, keyOf, keysOf, merged, nextWork } from './compose-work.ts';
import { atLeastOne, badInstances, wantedInstances } from './instances.ts';
import { withCause } from './label-workload.ts';
import { mainWorkloads, nameOf } from './managed-workloads.ts';
import { markKey } from './marks.ts';
import { withSelectorLabels, withSpec, withTemplateLabels } from './pod-template.ts';
import { prepareLog, versionedObjects } from './prepare-release.ts';
import { numberFor, openRecordOf, succeededBefore, withRecord } from './release-numbers.ts';
import { openRecord, withStatus } from './release-record.ts';
import { configsOf, retain, tidied } from './retention.ts';
import { releaseOutputs } from './rolling.ts';
import { refLine } from './step-log.ts';
import { wrapUp } from './wrap-up.ts';
import type { NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';
import { originalName } from './version-config.ts';

export const canarySuffix = '-canary';

const noWorkload =
  "No workload found in the Manifests. Can't do Canary Deployment. Only Deployment, DeploymentConfig (OpenShift) and StatefulSet workloads are supported in Canary workflow type.";
const manyWorkloads = (prefix: string) =>
  `More than one workloads found in the Manifests. Canary deploy supports only one workload. Others should be marked with annotation ${markKey(prefix, 'direct-apply')}: true`;

/** The workload that is in production, and whether the rest is there already. */
export function neededOfCanary({ rendered, present, settings }: OfflineInput): ObjectRef[] {
  const there = keysOf(present);
  const others = rendered.filter(obj => !there.has(keyOf(obj)));
  return merged(mainWorkloads(rendered, settings.labelPrefix), others).map(refOf);
}

export function beginCanary(input: StepInput): StepBegin {
  const { release, run, book, settings, present } = input;
  const { labelPrefix: prefix } = settings;
  const log = prepareLog(input);
  const failed = (message: string): StepBegin => ({ outcome: 'failed', message, lines: log.error(message).failed().lines });
  const [stable, ...others] = mainWorkloads(input.rendered, prefix);
  if (!stable) return failed(noWorkload);
  if (others.length > 0) return failed(manyWorkloads(prefix));
  const instances = wantedInstances({ with: input.with, live: input.live(refOf(stable)), manifest: stable });
  if (instances === undefined) return failed(badInstances(input.with['instances']));

  const number = numberFor(input);
  const previous = succeededBefore(book, number);
  log.info(`Current release number is: ${number}`);
  log.info(previous ? `Previous Successful Release is ${previous.number}` : 'No previous successful release found.');
  const replicas = atLeastOne(instances, log);
  const versioned = versionedObjects(input, number);
  const main = versioned.find(obj => keyOf(obj) === keyOf(stable)) ?? stable;
  const canary = canaryOf(main, { prefix, replicas, releaseName: release.name, run: run.name });
  const own = ownConfigs(canary, versioned);
  const objects = [...besides(input, { versioned, main, own }), ...own, canary];
  log.info(`Canary Workload is: ${nameOf(canary)}`).info(`Target replica count for Canary is ${replicas}`);

  const { record, large } = openRecord({ release, number, prefix, pruning: settings.prune.enabled, objects, run });
  const { kept, gone } = tidied(input, number);
  const retained = retain({ release, prefix, kept, gone, objects: merged(present, objects) });
  const canaryWorkload = [canary, ...own].map(obj => refLine(refOf(obj))).join(', ');
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(retained.objects, withRecord(kept, record)), {
      remove: retained.remove,
      contents: large ? [large] : [],
      lines: log.done().lines,
      status: {
        releaseNumber: number,
        ...(previous && { previousRelease: previous.number }),
        canary: { workload: canaryWorkload, instances: replicas },
      },
      outputs: { ...releaseOutputs(release.name, number), canaryWorkload },
    }),
    await: [refOf(canary)],
  };
}

interface CanaryNames {
  readonly prefix: string;
  readonly replicas: number;
  readonly releaseName: string;
  readonly run: string;
}

function canaryOf(workload: KubeObject, { prefix, replicas, releaseName, run }: CanaryNames): KubeObject {
  const track = { [markKey(prefix, 'track')]: 'canary' };
  const named = withCause(withSpec(suffixed(workload, canarySuffix), { replicas }), run);
  return withTemplateLabels(withSelectorLabels(named, track), { ...track, [markKey(prefix, 'release-name')]: releaseName });
}

/** The versions of ConfigMaps and Secrets that the canary uses. */
function ownConfigs(canary: KubeObject, versioned: readonly KubeObject[]): KubeObject[] {
  const used = new Set(configsOf(canary));
  return versioned.filter(obj => originalName(obj) !== undefined && used.has(keyOf(obj)));
}

/** What is applied besides the canary: everything, or only what is not there at all, so that production stays as it is. */
function besides(
  input: StepInput,
  { versioned, main, own }: { versioned: readonly KubeObject[]; main: KubeObject; own: readonly KubeObject[] },
): KubeObject[] {
  const taken = new Set([keyOf(main), ...keysOf(own)]);
  const others = versioned.filter(obj => !taken.has(keyOf(obj)));
  if (input.with['include'] === 'All') {
    const track = { [markKey(input.settings.labelPrefix, 'track')]: 'canary' };
    return others.map(obj => {
      if (scales(obj, main)) return autoscalerFor(obj, canarySuffix);
      return protects(obj, main) ? budgetFor(obj, canarySuffix, track) : obj;
    });
  }
  const there = keysOf(input.present);
  return others.filter(obj => !scales(obj, main) && !protects(obj, main) && !there.has(keyOf(obj)) && !input.live(refOf(obj)));
}

/** A canary that is well waits for the primary phase, which ends its release. */
export function endCanary(input: StepInput, result: 'steady' | 'failed'): NextWork {
  const { book, present } = input;
  const open = openRecordOf(input);
  const records = open && result === 'failed' ? withRecord(book.records, withStatus(open, 'Failed')) : book.records;
  return nextWork(composeWork(present, records), result === 'steady' ? wrapUp(input) : {});
}
