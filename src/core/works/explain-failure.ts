import { workReasons } from '../../api/work.ts';
import { UnreachableError } from '../../client/transport.ts';
import { RenderError } from '../../render/render-error.ts';
import { causesOf, errorText } from '../../util/error-text.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Phase } from './work-facts.ts';

const maxMessageLength = 2000;

/** What an error that ended a delivery means for the Work. `place` names release and cluster. */
export function explainFailure(error: unknown, place: string): Phase & { kind: 'failed' | 'unreachable' } {
  if (isUnreachable(error)) return { kind: 'unreachable' };
  const known = causesOf(error).find(one => one instanceof DeliveryError || one instanceof RenderError);
  const message = oneLine(`${place}: ${errorText(error)}`);
  if (known instanceof DeliveryError) return { kind: 'failed', reason: known.reason, message, isFinal: known.isFinal };
  if (known instanceof RenderError) return { kind: 'failed', reason: workReasons.renderFailed, message, isFinal: known.isFinal };
  return { kind: 'failed', reason: workReasons.applyFailed, message, isFinal: false };
}

function isUnreachable(error: unknown): boolean {
  return causesOf(error).some(
    one => one instanceof UnreachableError || (one instanceof DeliveryError && one.reason === workReasons.clusterUnreachable),
  );
}

function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ').trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}

const firstDelayMs = 2_000;
const maxDelayMs = 300_000;

/** How long to wait after so many failures in a row. */
export function delayAfterFailures(failures: number, random = Math.random()): number {
  return Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs) * (0.8 + 0.2 * random);
}
