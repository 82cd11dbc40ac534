import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { Trigger } from '../kinds/trigger.ts';

const freshMs = 10_000;
const atOnce = 16;
/** Shorter ones are guessed. */
export const minTokenLength = 16;

/** Which Trigger an address means. */
export interface WebhookTokens {
  find(token: string, signal: AbortSignal): Promise<Trigger | undefined>;
  /** The value of the Secret that a trigger names. */
  secretOf(trigger: Trigger, signal: AbortSignal): Promise<string | undefined>;
}

/** Reads Secrets of Triggers when somebody comes, and remembers for a moment what they hash to. */
export function webhookTokens({
  hub,
  triggers,
  now = Date.now,
}: {
  hub: KubeClient;
  triggers: Informer<Trigger>;
  now?: () => number;
}): WebhookTokens {
  const kept = new Map<string, { readonly hash: Buffer | undefined; readonly atMs: number }>();
  return { find, secretOf };

  async function find(token: string, signal: AbortSignal): Promise<Trigger | undefined> {
    const all = triggers.list();
    // Those that are signed need no secret address.
    const signed = all.find(one => one.spec.condition.type === 'GitEvent' && one.metadata.uid === token);
    if (signed) return signed;
    if (token.length < minTokenLength) return undefined;
    const wanted = hashOf(token);
    const hooks = all.filter(one => one.spec.condition.type === 'Webhook');
    const hashes = await mapBounded(hooks, atOnce, one => hashFor(one, signal));
    return hooks.find((_, index) => hashes[index] !== undefined && timingSafeEqual(hashes[index], wanted));
  }

  async function hashFor(trigger: Trigger, signal: AbortSignal): Promise<Buffer | undefined> {
    const { secretRef } = trigger.spec.condition;
    const key = `${trigger.metadata.namespace}/${secretRef?.name}/${secretRef?.key}`;
    const known = kept.get(key);
    if (known && now() - known.atMs < freshMs) return known.hash;
    const value = await secretOf(trigger, signal);
    const hash = value === undefined || value.length < minTokenLength ? undefined : hashOf(value);
    kept.set(key, { hash, atMs: now() });
    return hash;
  }

  async function secretOf({ metadata, spec }: Trigger, signal: AbortSignal): Promise<string | undefined> {
    const { secretRef } = spec.condition;
    if (!secretRef) return undefined;
    const secret = await hub.get(Secret, { namespace: metadata.namespace, name: secretRef.name }, { signal });
    const data = secret?.data?.[secretRef.key];
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8').trim();
  }
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
