import type { KubeObject } from '../../../api/object.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { UnreachableError } from '../../../client/transport.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { MemberStepType } from '../kinds/step.ts';
import { readBook, withoutRecords } from '../release/read-book.ts';
import type { OfflineInput, StepInput, StepState } from '../release/step.ts';
import { neededListsOf, neededOf } from '../release/steps.ts';
import { largeManifests, objectsOf } from './held-work.ts';
import { listObjects, readObjects, readRecords } from './member-sight.ts';
import type { RenderedStep } from './render-step.ts';
import type { StepContext } from './step-context.ts';

export interface StepSources {
  readonly hub: KubeClient;
  /** Undefined when the member cannot be asked, and what the Work reports must do. */
  readonly member: Member | undefined;
  /** As it is now. */
  readonly work: Work | undefined;
  readonly signal: AbortSignal;
}

/**
 * Everything that `release/` wants to know. Records that only a member has are read when there is no Work yet: from then on the Work has them. Throws
 * UnreachableError when a member must be asked and cannot.
 */
export async function readStepInput(
  type: MemberStepType,
  context: StepContext,
  { with: given, objects: rendered }: RenderedStep,
  state: StepState,
  { hub, member, work, signal }: StepSources,
): Promise<StepInput> {
  const { release, run, settings } = context;
  if (!work && !member)
    throw new UnreachableError(`cluster "${context.cluster.name}" cannot be asked what it has of release "${release.name}"`);
  const held = await objectsOf(hub, work, signal);
  const onMember = work ? [] : await readRecords(member!, release, signal);
  const large = await largeManifests(hub, [...held, ...onMember], signal);
  const book = readBook(held, onMember, release, {
    labelPrefix: settings.labelPrefix,
    large(digest) {
      const found = large.get(digest);
      if (!found) throw new Error(`the hub has no Content of the digest ${digest}`);
      return found;
    },
  });
  const present = withoutRecords(held, release);
  const offline: OfflineInput = { release, run, book, present, rendered, settings, with: given, clusterRun: state };
  const needed = neededOf(type, offline);
  const live = member ? await readObjects(member, needed, signal) : reported(work!, present);
  const lists = new Map<string, readonly KubeObject[]>();
  for (const of of member ? neededListsOf(type, offline) : []) lists.set(listKey(of), await listObjects(member!, of, signal));
  return {
    ...offline,
    live: ref => live.get(refKey(ref)),
    ...(member && { listed: of => lists.get(listKey(of)) ?? [] }),
  };
}

const listKey = (of: Omit<ObjectRef, 'name'>): string => refKey({ ...of, name: '' });

/** What a member that cannot be asked has told of the Work. */
function reported({ status }: Work, present: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  const there = new Set((status?.objects ?? []).filter(({ health }) => health !== 'NotFound').map(refKey));
  return new Map(present.map(obj => [refKey(refOf(obj)), obj] as const).filter(([key]) => there.has(key)));
}
