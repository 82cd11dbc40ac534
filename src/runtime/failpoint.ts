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

const [armed, count = '1'] = (process.env['DROVER_FAILPOINT'] ?? '').split(':');
let left = Number(count);

let listener: ((name: Failpoint) => void) | undefined;

/** Tells which points are reached, so that a test knows where it can kill. */
export function observeFailpoints(hear: (name: Failpoint) => void): Disposable {
  listener = hear;
  return {
    [Symbol.dispose]() {
      listener = undefined;
    },
  };
}

/** Kills the process as a power cut would, when the environment names this point: `DROVER_FAILPOINT=name`, or `name:3` for the third time. */
export function failpoint(name: Failpoint): void {
  listener?.(name);
  if (name !== armed || --left !== 0) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may need a moment; nothing more may be done until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
