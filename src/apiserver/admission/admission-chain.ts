import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { reinvocationOf } from './reinvocation.ts';

/**
 * Runs the mutating half of admission. When a webhook or policy changed the object after others had seen it, everything runs a second time;
 * webhooks and policies themselves decide whether they take part in it.
 */
export function mutate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): void | Promise<void> {
  const running = run('mutate', plugins, request);
  return running ? running.then(() => again(plugins, request)) : again(plugins, request);
}

/** Runs the validating half, on the object as it is going to be stored. */
export function validate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): void | Promise<void> {
  return run('validate', plugins, request);
}

function again(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): void | Promise<void> {
  const reinvocation = reinvocationOf(request);
  if (!reinvocation?.isNeeded) return;
  reinvocation.isSecondRound = true;
  return run('mutate', plugins, request);
}

// Most requests meet no plugin that waits for anything, and stay within one turn.
function run(phase: 'mutate' | 'validate', plugins: readonly AdmissionPlugin[], request: AdmissionRequest, from = 0): void | Promise<void> {
  for (let i = from; i < plugins.length; i++) {
    const plugin = plugins[i]!;
    if (!plugin[phase] || !plugin.handles(request)) continue;
    const waiting = plugin[phase](request);
    if (waiting) return waiting.then(() => run(phase, plugins, request, i + 1));
  }
}
