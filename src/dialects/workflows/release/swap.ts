import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { Json } from '../../../util/json.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import { fragmentOf } from './adopt-workload.ts';
import { asColor, colorOf, otherColor, withColor } from './blue-green-services.ts';
import type { Color, ReleaseRecord } from './book.ts';
import { composeWork, find, keyOf, merged, nextWork } from './compose-work.ts';
import { keepOnMember, withAnnotations } from './marks.ts';
import { replicasOf, selectorOf, withReplicas, withSpec } from './pod-template.ts';
import { knownObjects, withEnvironment } from './release-record.ts';
import { unitLog, type UnitLog } from './step-log.ts';
import type { BlueGreenState, NextWork, OfflineInput, StepBegin, StepInput, StepState } from './step.ts';

const notSwapped = 'Services were not swapped in the deployment phase. Skipping.';
const nothingBefore = 'No previous eligible release found.';

interface Swap {
  readonly services: readonly [KubeObject, KubeObject];
  /** What the Work holds of them next. */
  readonly next: readonly [KubeObject, KubeObject];
  readonly status: Pick<StepState, 'blueGreen' | 'exchange'>;
}

function serviceRefs({ with: given, clusterRun, release }: OfflineInput): readonly [ObjectRef, ObjectRef] {
  const { blueGreen } = clusterRun;
  const names = [given['service1'] ?? blueGreen?.primaryService, given['service2'] ?? blueGreen?.stageService];
  const [one, two] = names.map(name => ({
    group: '',
    version: 'v1',
    kind: 'Service',
    namespace: release.namespace,
    name: String(name ?? ''),
  }));
  return [one!, two!];
}

export const neededOfSwap = (input: OfflineInput): ObjectRef[] => [...serviceRefs(input)];

/** Those of the run that Blue/Green has staged, not two others. */
function stagedBy({ clusterRun }: OfflineInput, [one, two]: readonly [ObjectRef, ObjectRef]): BlueGreenState | undefined {
  const { blueGreen } = clusterRun;
  if (!blueGreen) return undefined;
  const names = [blueGreen.primaryService, blueGreen.stageService];
  return names.includes(one.name) && names.includes(two.name) ? blueGreen : undefined;
}

export function beginSwap(input: StepInput): StepBegin {
  const { settings, clusterRun } = input;
  const log = unitLog('Swap Service Selectors');
  const refs = serviceRefs(input);
  const blueGreen = stagedBy(input, refs);
  if (settings.isRollback && (!clusterRun.blueGreen?.swapped || !blueGreen)) {
    return { outcome: 'skipped', message: notSwapped, lines: log.info(notSwapped).lines };
  }
  if (settings.isRollback && !asColor(blueGreen?.primaryColorBefore)) {
    return { outcome: 'done', message: nothingBefore, lines: log.warn(nothingBefore).done().lines, status: {}, outputs: {} };
  }
  for (const ref of refs) {
    if (input.live(ref)) continue;
    const message = `Service ${ref.name} not found.`;
    return { outcome: 'failed', message, lines: log.error(message).failed().lines };
  }
  const swap = blueGreen ? setColors(input, blueGreen) : exchange(input, refs);
  // Pods that were sent to sleep come first: production moves when they are there.
  const woken = settings.isRollback && blueGreen ? wakened(input, blueGreen) : [];
  say(log, swap);
  const { present, book } = input;
  const objects = woken.length > 0 ? composeWork(merged(present, woken), book.records) : withSwap(present, swap, input);
  return { outcome: 'deliver', ...nextWork(objects, { lines: log.lines, status: swap.status }), await: woken.map(refOf) };
}

const withSwap = (present: readonly KubeObject[], { next }: Swap, { book }: StepInput): KubeObject[] =>
  primaryFirst(composeWork(merged(present, next), book.records), next);

/** Workloads of the color to which production goes back, with as many pods as their release had. */
function wakened({ present, book }: StepInput, { primaryColorBefore }: BlueGreenState): KubeObject[] {
  const record = book.records.findLast(({ color, status }) => color === primaryColorBefore && status === 'Succeeded');
  const before = new Map((record ? knownObjects(record) : []).map(obj => [keyOf(obj), obj]));
  return present.flatMap(obj => {
    const was = before.get(keyOf(obj));
    return replicasOf(obj) === 0 && was && replicasOf(was) !== 0 ? [withReplicas(obj, replicasOf(was) ?? 1)] : [];
  });
}

/** Set, not toggled: whoever does it again changes nothing. */
function setColors(input: StepInput, blueGreen: BlueGreenState): Swap {
  const { release, settings, live } = input;
  const stageColor = asColor(blueGreen.stageColor) ?? 'blue';
  const before = asColor(blueGreen.primaryColorBefore) ?? otherColor(stageColor);
  const [primaryColor, otherOne] = settings.isRollback ? [before, stageColor] : [stageColor, before];
  const names = [blueGreen.primaryService, blueGreen.stageService] as const;
  const [primary, stage] = names.map(name =>
    serviceAt(input, { group: '', version: 'v1', kind: 'Service', namespace: release.namespace, name }),
  );
  const colored = (service: KubeObject, color: Color) => {
    const { key } = colorOf(live(refOf(service)), settings.labelPrefix);
    return withColor(service, key, color);
  };
  return {
    services: [primary!, stage!],
    next: [colored(primary!, primaryColor), colored(stage!, otherOne)],
    status: { blueGreen: { ...blueGreen, swapped: true } },
  };
}

/** Two Services that have nothing to do with colors: each gets what the other had when the step was first tried. */
function exchange(input: StepInput, [one, two]: readonly [ObjectRef, ObjectRef]): Swap {
  const { position } = input.settings;
  const services = [serviceAt(input, one), serviceAt(input, two)] as const;
  const known = input.clusterRun.exchange?.position === position ? input.clusterRun.exchange : undefined;
  const { selectors } = known ?? { selectors: [two, one].map(ref => selectorOf(input.live(ref)!)) };
  const [first, second] = selectors;
  return {
    services,
    next: [withSpec(services[0], { selector: first }), withSpec(services[1], { selector: second })],
    status: { exchange: { position, selectors } },
  };
}

/** As the Work holds it. One that is not of the release is changed where it must be and else left alone, also when the Work goes. */
function serviceAt({ present, live }: StepInput, ref: ObjectRef): KubeObject {
  const held = find(present, ref);
  if (held) return held;
  const found = live(ref)!;
  return withSpec(withAnnotations(fragmentOf(found), keepOnMember), { selector: selectorOf(found) });
}

/** Nobody is to be sent to the stage while the primary Service has yet to move. */
function primaryFirst(objects: readonly KubeObject[], [primary, stage]: readonly [KubeObject, KubeObject]): KubeObject[] {
  const rest = objects.filter(obj => keyOf(obj) !== keyOf(stage));
  const at = rest.findIndex(obj => keyOf(obj) === keyOf(primary));
  return rest.toSpliced(at + 1, 0, stage);
}

function say(log: UnitLog, { services, next }: Swap): void {
  const selectors = (title: string, pair: readonly KubeObject[]) => {
    for (const [i, service] of pair.entries()) {
      log.info(`${title} for Service ${i === 0 ? 'One' : 'Two'} : [name:${service.metadata.name}]`);
      log.info(writeYaml(selectorOf(service) as Json).trimEnd());
    }
  };
  selectors('Selectors', services);
  log.info('Swapping Service Selectors..');
  selectors('Updated Selectors', next);
}

export function endSwap(input: StepInput, result: 'steady' | 'failed'): NextWork {
  const { book, present, settings } = input;
  const log = unitLog('Swap Service Selectors');
  const blueGreen = stagedBy(input, serviceRefs(input));
  if (result === 'failed' || !blueGreen) {
    return nextWork(composeWork(present, book.records), { lines: (result === 'failed' ? log.failed() : log.done()).lines });
  }
  const primaryColor = settings.isRollback ? blueGreen.primaryColorBefore : blueGreen.stageColor;
  const records = book.records.map(record => inItsPlace(record, primaryColor, settings.labelPrefix));
  return nextWork(withSwap(present, setColors(input, blueGreen), { ...input, book: { records } }), {
    lines: log.done().lines,
    status: { blueGreen: { ...blueGreen, swapped: !settings.isRollback } },
  });
}

const inItsPlace = (record: ReleaseRecord, primaryColor: string, prefix: string): ReleaseRecord =>
  record.color === undefined || !record.secret
    ? record
    : withEnvironment(record, record.color === primaryColor ? 'primary' : 'stage', prefix);
