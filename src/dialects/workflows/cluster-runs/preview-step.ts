import type { KubeObject } from '../../../api/object.ts';
import { applyObjects } from '../../../core/delivery/apply-objects.ts';
import { DeliveryError } from '../../../core/delivery/delivery-error.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { refOf, refText, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { errorText } from '../../../util/error-text.ts';
import { jsonEqual, type JsonObject } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { unifiedDiff } from '../../../util/text-diff.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import type { MemberStepType } from '../kinds/step.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { keysOf, keyOf } from '../release/compose-work.ts';
import { readBook, withoutRecords } from '../release/read-book.ts';
import { refLine, unitLog } from '../release/step-log.ts';
import type { StepInput } from '../release/step.ts';
import { beginStep, endStep } from '../release/steps.ts';
import { phasesOf } from '../runs/generate-phases.ts';
import { workNameOf } from './held-work.ts';
import { readObjects } from './member-sight.ts';
import { renderStep } from './render-step.ts';
import type { StepContext } from './step-context.ts';
import { readStepInput, type StepSources } from './step-input.ts';
import { deploys } from './step-types.ts';
import { substance, substanceDigest } from './substance.ts';

export type Preview = NonNullable<NonNullable<ClusterRun['status']>['preview']>;

const atOnce = 8;

/** What the last step that deploys would change on a member: asked of the member itself, which is left as it is. */
export async function previewStep(
  context: StepContext,
  secrets: ReadonlyMap<string, string>,
  sources: StepSources & { readonly inputs: Pick<RunInputs, 'renderFor'> },
): Promise<Preview & { readonly lines: readonly LogLine[] }> {
  const { signal, member } = sources;
  const log = unitLog('Preview');
  const deploying = lastDeployment(context);
  if (!deploying) return { unchanged: 0, lines: log.info('The workflow deploys nothing').done().lines };
  const asStep = { ...context, grant: { ...context.grant, ...deploying } };
  const rendered = await renderStep(asStep, secrets, sources.inputs, signal);
  const failed = (message: string) => ({ errors: [message], lines: log.error(message).failed().lines });
  if ('fault' in rendered) return failed(rendered.fault.message);
  const input = await readStepInput(deploying.type, asStep, rendered, {}, sources);
  const begun = beginStep(deploying.type, input);
  if (begun.outcome !== 'deliver')
    return 'message' in begun && begun.message !== undefined ? failed(begun.message) : { lines: log.done().lines };
  const wanted = withoutRecords(begun.objects, context.release);
  const pruned = prunedBy(deploying.type, input, begun.objects);
  const remaining = wanted.filter(obj => !keysOf(pruned).has(keyOf(obj)));
  const changes = member ? await mapBounded(remaining, atOnce, obj => compare(obj, member, context, signal)) : remaining.map(unasked);
  for (const { diff, error } of changes) {
    if (error !== undefined) log.error(error);
    else if (diff !== '') log.info(diff.trimEnd());
  }
  const refs = (action: Change['action']) => changes.filter(one => one.action === action).map(one => refLine(one.ref));
  const going = [...pruned.map(obj => refOf(obj)), ...begun.remove].map(refLine);
  for (const one of going) log.info(`${one} would be deleted`);
  return {
    create: refs('create'),
    update: refs('update'),
    prune: going,
    unchanged: changes.filter(one => one.action === 'none').length,
    errors: changes.flatMap(({ error }) => error ?? []),
    seen: changes.flatMap(({ ref, digest }) => (digest === undefined ? [] : [{ ...ref, digest }])),
    ...(begun.status.releaseNumber !== undefined && { releaseNumber: begun.status.releaseNumber }),
    lines: [...begun.lines, ...log.done().lines],
  };
}

/** The step of the way forward after which the cluster is as it will stay. */
function lastDeployment({ spec, snapshot }: StepContext): { type: MemberStepType; with: JsonObject; phase: string } | undefined {
  const phases = phasesOf(spec as Parameters<typeof phasesOf>[0], snapshot.provider.type);
  const steps = phases.flatMap(phase => phase.groups.flatMap(group => group.steps.map(step => ({ step, phase: phase.name }))));
  const last = steps.findLast(({ step }) => deploys.has(step.type));
  return last && { type: last.step.type as MemberStepType, with: { ...last.step.with } as JsonObject, phase: last.phase };
}

/** What the step would prune when it has succeeded. */
function prunedBy(type: MemberStepType, input: StepInput, objects: readonly KubeObject[]): KubeObject[] {
  const { release, settings } = input;
  const present = withoutRecords(objects, release);
  const book = readBook(objects, [], release, { labelPrefix: settings.labelPrefix });
  const after = keysOf(endStep(type, { ...input, present, book, rendered: [] }, 'steady').objects);
  return present.filter(obj => !after.has(keyOf(obj)));
}

interface Change {
  readonly ref: ObjectRef;
  readonly action: 'create' | 'update' | 'none' | 'refused';
  readonly diff: string;
  readonly error?: string;
  /** Of what is there now. */
  readonly digest?: string;
}

const unasked = (obj: KubeObject): Change => ({ ref: refOf(obj), action: 'update', diff: '' });

async function compare(obj: KubeObject, member: Member, { release, cluster, spec }: StepContext, signal: AbortSignal): Promise<Change> {
  const ref = refOf(obj);
  const live = (await readObjects(member, [ref], signal)).values().next().value;
  const refusals: DeliveryError[] = [];
  const owner = { work: `${cluster.id}/${workNameOf(release)}` };
  try {
    const [next] = await applyObjects(member, [obj], {
      owner,
      manner: spec.apply,
      takeOwnership: true,
      dryRun: true,
      onRefused: one => refusals.push(one),
      signal,
    });
    if (refusals.length > 0) throw refusals[0]!;
    const [before, after] = [live ? substance(live) : undefined, substance(next!)];
    const digest = substanceDigest(live);
    if (before && jsonEqual(before, after)) return { ref, action: 'none', diff: '', digest };
    const name = refText(ref);
    const diff = unifiedDiff(before ? writeYaml(before) : '', writeYaml(after), { from: live ? name : '/dev/null', to: name });
    return { ref, action: live ? 'update' : 'create', diff, digest };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { ref, action: 'refused', diff: '', error: errorText(error) };
  }
}
