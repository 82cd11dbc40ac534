import { abortRun, failRun, finish } from './end-run.ts';
import { resolveRun } from './resolve-run.ts';
import { tell, wake, type Draft } from './run-step.ts';

const defaultMaxQueue = 20;

/** Takes down what the run is made from. False as long as that is not known. */
export function takeSnapshot(draft: Draft): boolean {
  const { answer } = draft.input;
  if (answer && 'snapshot' in answer) {
    draft.status.snapshot = answer.snapshot;
    return true;
  }
  if (answer && 'fault' in answer) {
    const { failureType, reason, message } = answer.fault;
    failRun(draft, { type: failureType, reason, message });
    return false;
  }
  draft.wants = 'snapshot';
  return false;
}

/** Whether a run that has not begun may begin now. */
export function admitRun(draft: Draft): boolean {
  const { status, input } = draft;
  const isNew = status.phase === undefined;
  if (input.state === 'Abort' || input.state === 'Rollback') {
    abortRun(draft);
    return false;
  }
  if (input.mode === 'Preview') return begin(draft);
  if (input.state === 'Initialize') return initialize(draft);
  if (isNew && isFull(draft)) {
    finish(draft, 'Rejected', { reason: 'QueueFull', message: `${input.queue.waiting} runs wait already` });
    return false;
  }
  const freeze = input.freeze();
  if (!freeze.isOpen) {
    if (status.reason !== 'Frozen') tell(draft, { event: 'FreezeBlocked', message: freeze.message ?? 'A freeze is in force' });
    queue(draft, 'Frozen', freeze.message ?? 'A freeze is in force');
    if (freeze.nextOpen) status.nextOpen = freeze.nextOpen.toISOString();
    wake(draft, freeze.wakeAt ?? freeze.nextOpen);
    if (input.queue.ahead > 0) status.queuePosition = input.queue.ahead;
    return false;
  }
  delete status.nextOpen;
  if (input.queue.ahead > 0) {
    queue(draft, 'Queued', 'Others go first');
    status.queuePosition = input.queue.ahead;
    return false;
  }
  if (input.state === 'Pause') {
    queue(draft, 'Paused', 'Paused before it began');
    return false;
  }
  return begin(draft);
}

function queue({ status }: Draft, reason: string, message: string): void {
  Object.assign(status, { phase: 'Queued', reason, message });
  delete status.queuePosition;
}

const isFull = ({ input, spec }: Draft): boolean => input.queue.waiting >= (spec.concurrency?.maxQueue ?? defaultMaxQueue);

/** The plan is made, and nothing else. */
function initialize(draft: Draft): false {
  if (!resolveRun(draft) || draft.status.finishedAt !== undefined) return false;
  Object.assign(draft.status, { phase: 'Waiting', reason: 'Initialized', message: 'Planned; begins when its state is Run' });
  return false;
}

function begin(draft: Draft): true {
  const { status, input, now } = draft;
  delete status.queuePosition;
  delete status.reason;
  delete status.message;
  status.startedAt = now.toISOString();
  status.releaseNo = input.nextReleaseNo;
  if (input.lastGood) draft.engine.lastGood = { ...input.lastGood };
  status.phase = 'Resolving';
  tell(draft, { event: 'RunStarted', message: 'The run begins' });
  return true;
}
