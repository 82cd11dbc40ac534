import { findCondition } from '../../api/conditions.ts';
import { workConditions, workFinalizer, workReasons, type Work } from '../../api/work.ts';
import { requeue, settled, type Outcome } from '../../runtime/controller.ts';
import { keyOf } from '../../runtime/key.ts';
import { ContentMissingError } from '../contents/read-content.ts';
import { wantedContent } from '../sources/wanted-content.ts';
import { placeOf } from './decide-status.ts';
import { HubError, type DeliveryDesk, type Turn } from './delivery-desk.ts';
import { delayAfterFailures, explainFailure } from './explain-failure.ts';
import { waitsFor } from './wait-for-works.ts';
import type { WorkReason } from './work-facts.ts';
import type { WorkState } from './work-state.ts';

/** The hub must hold a Work back from removal before anything of it is put on a member: it would stay there for ever. */
export const mayDeliver = ({ metadata }: Work): boolean => metadata.finalizers?.includes(workFinalizer) === true;

/** Out of reach: another look in case nobody tells that it is back. */
const lostRetryMs = 60_000;

/** Says why a Work is not delivered now, where that is so. */
export function isHeldBack(desk: DeliveryDesk, work: Work, state: WorkState): Outcome | undefined {
  const { namespace = '' } = work.metadata;
  if (work.spec.suspend === true || desk.members.isPaused(namespace)) {
    state.phase = { kind: 'suspended' };
    return say(desk, work, settled);
  }
  if (wantedContent(work) === 'waiting') {
    // Whoever fetches it has said why it cannot be had.
    const said = findCondition(work, workConditions.ready);
    if (said?.reason === workReasons.sourceFailed && said.observedGeneration === work.metadata.generation) return settled;
    const words = `${placeOf(work, { cluster: desk.clusterName(work) })} waits for the bytes of its source`;
    return wait(desk, work, state, workReasons.waitingForContent, words);
  }
  const others = waitsFor(work, name => desk.works.get(`${namespace}/${name}`));
  if (others !== undefined) return wait(desk, work, state, workReasons.waitingForWorks, others);
  if (state.failedGeneration !== work.metadata.generation) return undefined;
  if (state.isStalled) return settled;
  const restMs = (state.nextTry?.getTime() ?? 0) - desk.now().getTime();
  return restMs > 0 ? requeue(restMs) : undefined;
}

function wait(desk: DeliveryDesk, work: Work, state: WorkState, reason: WorkReason, message: string): Outcome {
  state.phase = { kind: 'waiting', reason, message };
  return say(desk, work, settled);
}

function say(desk: DeliveryDesk, work: Work, outcome: Outcome): Outcome {
  desk.reports.promptly(keyOf(work));
  return outcome;
}

/** What becomes of a Work whose delivery or removal has ended with an error. */
export function failed(desk: DeliveryDesk, work: Work, state: WorkState, error: unknown, { signal }: Turn): Outcome {
  // Stopped, or overtaken by a newer spec: the next turn says what is.
  if (signal.aborted) return settled;
  if (error instanceof HubError) throw error;
  const cluster = desk.clusterName(work);
  if (error instanceof ContentMissingError) {
    const words = `${placeOf(work, { cluster })}: ${error.message}`;
    wait(desk, work, state, workReasons.waitingForContent, words);
    return requeue(lostRetryMs);
  }
  const phase = explainFailure(error, placeOf(work, { cluster }));
  if (phase.kind === 'unreachable') {
    state.phase = phase;
    return say(desk, work, requeue(lostRetryMs));
  }
  const failures = state.failedGeneration === work.metadata.generation ? state.failures + 1 : 1;
  const delayMs = delayAfterFailures(failures);
  const isFinal = phase.isFinal || failures >= (work.spec.options?.maxFailures ?? Infinity);
  state.fail(work.metadata.generation, { ...phase, isFinal }, isFinal ? undefined : new Date(desk.now().getTime() + delayMs));
  desk.events.record(work, { type: 'Warning', reason: phase.reason, action: 'Deliver', note: phase.message });
  return say(desk, work, isFinal ? settled : requeue(delayMs));
}
