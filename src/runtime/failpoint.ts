import { appendFileSync } from 'node:fs';

/**
 * Every place where a test may kill the process, by name. Each marks a moment after a step was done and before the next one is begun, or
 * before what was done is written down.
 */
export const failpoints = [
  'releases.beforeRecord',
  'releases.afterRecord',
  'releases.afterDefinitions',
  'releases.afterHookRecord',
  'releases.afterHookCreate',
  'releases.afterHookEnd',
  'releases.afterHook',
  'releases.afterHookDelete',
  'releases.afterPreHooks',
  'releases.afterAdopt',
  'releases.afterApplyOne',
  'releases.afterApply',
  'releases.afterPrune',
  'releases.afterWait',
  'releases.afterPostHooks',
  'releases.afterDeployed',
  'releases.afterSupersede',
  'releases.afterTrim',
  'releases.afterFailed',
  'releases.afterUndo',
  'releases.afterTakeOver',
  'releases.afterUninstalling',
  'releases.afterRemove',
  'releases.afterPurgeOne',
  'releases.afterPurge',
  'workflows.afterEvents',
  'workflows.beforeRunStatus',
  'workflows.afterRunStatus',
  'workflows.afterClusterRunSpec',
  'workflows.afterClusterRunStatus',
  'workflows.beforeWork',
  'workflows.afterWork',
] as const;

export type Failpoint = (typeof failpoints)[number];

/** `name`, or `name@what` for one of the things that are done there, and how often it is passed before. */
const [, armed = '', count = '1'] = /^(.*?)(?::([0-9]+))?$/.exec(process.env['DROVER_FAILPOINT'] ?? '') ?? [];
const traceFile = process.env['DROVER_FAILPOINT_TRACE'] ?? '';
let left = Number(count);

let listener: ((name: Failpoint, what: string) => void) | undefined;

/** Tells which points are reached, so that a test knows where it can kill. */
export function observeFailpoints(hear: (name: Failpoint, what: string) => void): Disposable {
  listener = hear;
  return {
    [Symbol.dispose]() {
      listener = undefined;
    },
  };
}

/**
 * Kills the process as a power cut would, when the environment names this point: `DROVER_FAILPOINT=name`, `name@what`, and `name:3` for the third time.
 * `DROVER_FAILPOINT_TRACE=file` writes down which points are passed.
 */
export function failpoint(name: Failpoint, what = ''): void {
  listener?.(name, what);
  if (traceFile !== '') appendFileSync(traceFile, `${name}@${what}\n`);
  if (armed === '' || (armed !== name && armed !== `${name}@${what}`) || --left !== 0) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may need a moment; nothing more may be done until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
