import { setTimeout as sleep } from 'node:timers/promises';
import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { explainRefusal } from './explain-refusal.ts';
import { definedKinds } from './find-kinds.ts';
import { judgeHealth } from './judge-health.ts';
import type { Member } from './member.ts';
import { refOf, refText } from './object-ref.ts';
import { retryRefused } from './retry-refused.ts';

const timeoutMs = 60_000;
const discoveryTimeoutMs = 10_000;
const firstLookMs = 20;
const slowestLookMs = 500;

/** Returns when the member serves the kinds of these definitions, given as it answered them, and `kinds` finds them. */
export async function awaitDefinitions(member: Member, definitions: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  if (definitions.length === 0) return;
  await untilEstablished(member, definitions, signal);
  await untilFound(member, definitions, signal);
}

/** Discovery follows definitions some moments later. Whoever needs a kind that does not come says so. */
async function untilFound({ kinds }: Member, definitions: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + discoveryTimeoutMs;
  kinds.forget();
  for (const kind of definedKinds(definitions).values()) {
    for (let waitMs = firstLookMs; performance.now() < deadline; waitMs = Math.min(waitMs * 2, slowestLookMs)) {
      if (await kinds.find(kind, signal).catch(ignoreUnlessAborted)) break;
      await sleep(waitMs, undefined, { signal });
    }
  }

  function ignoreUnlessAborted(): undefined {
    signal.throwIfAborted();
  }
}

async function untilEstablished({ client }: Member, definitions: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const definition of definitions) {
    const object = refOf(definition);
    let present: KubeObject | undefined = definition;
    for (let waitMs = firstLookMs; !isEstablished(present); waitMs = Math.min(waitMs * 2, slowestLookMs)) {
      const { health, message } = judgeHealth(present);
      if (health === 'Failed') throw notServed(object, message ?? 'refused');
      if (health === 'Terminating') throw notServed(object, 'it is being deleted');
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

function isEstablished(definition: KubeObject | undefined): boolean {
  return judgeHealth(definition).health === 'Current';
}

function notServed(object: ReturnType<typeof refOf>, why: string): DeliveryError {
  return new DeliveryError(workReasons.applyFailed, `${refText(object)} is not served: ${why}`, { object });
}
