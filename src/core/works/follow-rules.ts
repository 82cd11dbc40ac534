import { setTimeout as sleep } from 'node:timers/promises';
import { withType } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { BrokenRule, HealthRule, Work } from '../../api/work.ts';
import { informer } from '../../runtime/informer.ts';
import { retryDelayMs } from '../../runtime/retry-delay.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { errorText } from '../../util/error-text.ts';
import { compileRule } from '../delivery/judge-rule.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';

export interface RulesWanted {
  readonly rules: readonly HealthRule[];
  readonly release: Work['spec']['release'];
  /** The objects of the delivery. */
  readonly refs: Iterable<ObjectRef>;
  readonly signal: AbortSignal;
  /** Hears which objects do not fulfil a rule, once all have been judged and whenever that may have changed. */
  onBroken(broken: readonly BrokenRule[]): void;
}

/** Any of these with the name of a release means an object that belongs to it. */
const nameLabels = ['release', 'app', 'app.kubernetes.io/instance', 'app.kubernetes.io/name'];
const maxTold = 50;
/** Much may change at once. */
const gatherMs = 100;
/** The member may be away for a moment. */
const retry = { firstDelayMs: 1_000, maxDelayMs: 60_000 };

/** Follows the objects that rules are for, whoever made them, until the signal. */
export function followRules(member: Member, { rules, release, refs, signal, onBroken }: RulesWanted): void {
  const delivered = new Set([...refs].map(refKey));
  const broken = new Map<string, readonly BrokenRule[]>();
  const kinds = Map.groupBy(rules, ({ group = '', version, kind }) => `${group}/${version}/${kind}`);
  for (const [key, ofKind] of kinds) void keepTrying(key, ofKind);

  async function keepTrying(key: string, ofKind: readonly HealthRule[]): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        return await followKind(key, ofKind);
      } catch {
        await sleep(retryDelayMs(attempt, retry), undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async function followKind(key: string, ofKind: readonly HealthRule[]): Promise<void> {
    const { group = '', version, kind: name } = ofKind[0]!;
    const kind = await member.kinds.find({ group, version, kind: name }, signal);
    // A kind that the member does not have has no objects that could be unhealthy.
    if (!kind) return tell(key, []);
    const objects = informer(member.client, kind, { signal, ...(kind.scope === 'Namespaced' && { namespace: release.namespace }) });
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      timer = undefined;
      tell(
        key,
        objects
          .list()
          .map(obj => withType(kind, obj))
          .filter(isMeant)
          .flatMap(obj => judge(obj, ofKind)),
      );
    };
    objects.subscribe(() => {
      if (objects.hasSynced) timer ??= setTimeout(look, gatherMs).unref();
    });
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    await objects.synced;
    look();
  }

  function isMeant(obj: KubeObject): boolean {
    return delivered.has(refKey(refOf(obj))) || nameLabels.some(label => obj.metadata.labels?.[label] === release.name);
  }

  function tell(key: string, found: readonly BrokenRule[]): void {
    if (signal.aborted) return;
    broken.set(key, found);
    if (broken.size === kinds.size) onBroken([...broken.values()].flat().slice(0, maxTold));
  }
}

function judge(obj: KubeObject, rules: readonly HealthRule[]): BrokenRule[] {
  return rules
    .flatMap((rule): BrokenRule[] => {
      const why = verdict(obj, rule);
      return why === undefined ? [] : [{ ...refOf(obj), rule: rule.name, message: why.slice(0, 512) }];
    })
    .sort((a, b) => compareTexts(a.rule, b.rule));
}

function verdict(obj: KubeObject, rule: HealthRule): string | undefined {
  try {
    return compileRule(rule).judge(obj);
  } catch (error) {
    return errorText(error);
  }
}
