import { setTimeout as sleep } from 'node:timers/promises';
import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { explainRefusal } from './explain-refusal.ts';
import { judgeHealth } from './judge-health.ts';
import type { Member } from './member.ts';
import { refOf, refText } from './object-ref.ts';
import { retryRefused } from './retry-refused.ts';

const timeoutMs = 60_000;
const firstLookMs = 20;
const slowestLookMs = 500;

/** Returns when the member serves the kinds of these definitions, given as it answered them. */
export async function awaitDefinitions({ client }: Member, definitions: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const definition of definitions) {
    const object = refOf(definition);
    let present: KubeObject | undefined = definition;
    for (let waitMs = firstLookMs; !isEstablished(present); waitMs = Math.min(waitMs * 2, slowestLookMs)) {
      const { health, message } = judgeHealth(present);
      if (health === 'Failed') throw notServed(object, message ?? 'refused');
      if (performance.now() > deadline) throw notServed(object, `not established within ${timeoutMs / 1000} s`);
      await sleep(waitMs, undefined, { signal });
      try {
        present = await retryRefused(() => client.get(CustomResourceDefinition, { name: object.name }, { signal }), { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw explainRefusal('read', object, error);
      }
    }
  }
}

/** Its generation does not count: definitions of today's servers have none that is observed. */
function isEstablished(definition: KubeObject | undefined): boolean {
  return judgeHealth(definition).health === 'Current';
}

function notServed(object: ReturnType<typeof refOf>, why: string): DeliveryError {
  return new DeliveryError(workReasons.applyFailed, `${refText(object)} is not served: ${why}`, { object });
}
