import type { KubeClient } from '../../client/kube-client.ts';
import { jsonEqual } from '../../util/json.ts';
import type { Observation } from './decide-status.ts';
import { detectProvider } from './detect-provider.ts';
import { followNodes, type FollowedNodes } from './follow-nodes.ts';
import { readFacts, type MemberFacts } from './member-facts.ts';
import { delayBeforeLoad, readLoad, type MemberLoad } from './member-load.ts';
import { afterProbe, delayBeforeProbe, impatienceMs, type Probe, type Standing } from './standing.ts';
import { summarizeNodes } from './summarize-nodes.ts';

export interface ObserverOptions {
  /** Asks the member once. Undefined when it is too early to tell; rejects only when the signal is aborted. */
  probe(signal: AbortSignal): Promise<Probe | undefined>;
  /** The way to the member as it is now; asked for when a probe went well. Throws where there is none. */
  client(): KubeClient;
  /** The provider where nothing else tells. */
  readonly provider?: string | undefined;
  /** How often to ask while the member is fine. Often enough to notice its loss in time when absent. */
  readonly periodMs?: number | undefined;
  /** What a predecessor knew, so that it need not be asked for again. */
  readonly known?: MemberFacts;
  /** Whether it is known what its pods ask for, so that there is no hurry to ask again. */
  readonly hasKnownLoad?: boolean;
  /** Something that the status tells may have changed. */
  onChange(): void;
  /** Hears what could not be read of a member that is fine. */
  onError(error: unknown): void;
  readonly random?: () => number;
}

/** Watches over one member: asks it how it is, follows its nodes and learns what it serves, for as long as it is not disposed of. */
export interface MemberObserver extends Disposable {
  readonly observation: Observation;
  /** Asks at once instead of when it is due. */
  askNow(): void;
  /** Something was delivered there: what its pods ask for may be another. */
  lookAtLoadSoon(): void;
}

/** Documents that have not changed are not sent again, so looking costs next to nothing. */
const factsPeriodMs = 60_000;
/** Servers that cannot tell whether their documents have changed send dozens of them. */
const untaggedFactsPeriodMs = 600_000;
const undecidedPeriodMs = 5_000;
/** Overlapping probes of a member that hangs. */
const maxProbes = 5;
/** Within which the pods of a member that is new are added up. */
const firstLoadMs = 10_000;
/** Between a delivery and a look at what it brought: pods come a moment later, and deliveries many at once. */
const newsMs = 5_000;
/** Changes of the clock that are too small to tell. */
const clockNoiseMs = 2_000;

export function observeMember(options: ObserverOptions): MemberObserver {
  const { probe, onChange, onError, random = Math.random } = options;
  const stopped = new AbortController();
  let standing: Standing | undefined;
  let facts: MemberFacts = options.known ?? {};
  let factsDueAt = 0;
  let following: (FollowedNodes & { readonly client: KubeClient }) | undefined;
  let toldClockMs = 0;
  let probes = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let load: MemberLoad | undefined;
  let loadTimer: NodeJS.Timeout | undefined;
  let loadDueAt = Infinity;
  let loadReadAt = -Infinity;
  ask();

  return {
    get observation() {
      return observationOf();
    },
    askNow: ask,
    lookAtLoadSoon() {
      if (following) scheduleLoad(Math.max(newsMs, loadReadAt + delayBeforeLoad(podsOf(load), true) - Date.now()));
    },
    [Symbol.dispose]() {
      stopped.abort();
      clearTimeout(timer);
      unfollow();
    },
  };

  function ask(): void {
    cancel();
    if (stopped.signal.aborted || probes >= maxProbes) return;
    probes++;
    const impatience = impatienceMs(standing);
    if (impatience !== undefined) schedule(impatience);
    void probe(stopped.signal).then(take, () => {});
  }

  function take(answered: Probe | undefined): void {
    probes--;
    if (stopped.signal.aborted) return;
    if (!answered) return schedule(undecidedPeriodMs);
    const before = standing;
    standing = afterProbe(before, answered);
    schedule(delayBeforeProbe(standing, random(), options.periodMs));
    if (standing.answer.kind === 'ready') follow();
    else unfollow();
    const hasNews = standing.answer !== before?.answer && !jsonEqual(standing.answer, before?.answer);
    if (hasNews || isClockNews(standing)) onChange();
  }

  function isClockNews({ clockAheadMs }: Standing): boolean {
    if (clockAheadMs === undefined || Math.abs(clockAheadMs - toldClockMs) < clockNoiseMs) return false;
    toldClockMs = clockAheadMs;
    return true;
  }

  function schedule(delayMs: number): void {
    const due = Date.now() + delayMs;
    if (due >= dueAt) return;
    cancel();
    dueAt = due;
    timer = setTimeout(ask, delayMs);
  }

  function cancel(): void {
    clearTimeout(timer);
    dueAt = Infinity;
  }

  /** Nodes are watched only while the member is fine: a watch that breaks off would try again at its own, slower pace. */
  function follow(): void {
    const client = presentClient();
    if (!client) return unfollow();
    if (following?.client !== client) {
      unfollow();
      following = { client, ...followNodes(client, { onChange, onBreak: ask }) };
      // Another cluster may answer at the same address now.
      facts = { ...facts, uid: undefined };
      factsDueAt = 0;
      // All members of a hub that was restarted come at once.
      scheduleLoad((0.2 + 0.8 * random()) * (options.hasKnownLoad || load ? delayBeforeLoad(0, false) : firstLoadMs));
    }
    if (Date.now() < factsDueAt) return;
    const isTagged = facts.discovery?.tags.every(tag => tag !== undefined) ?? true;
    factsDueAt = Date.now() + (isTagged ? factsPeriodMs : untaggedFactsPeriodMs) * (0.8 + 0.4 * random());
    // The connection of the probe is free again in the next turn.
    setImmediate(() => void learn(client));
  }

  /** The way may have gone since the probe; the next one will tell. */
  function presentClient(): KubeClient | undefined {
    try {
      return options.client();
    } catch {
      return undefined;
    }
  }

  function unfollow(): void {
    following?.[Symbol.dispose]();
    following = undefined;
    clearTimeout(loadTimer);
    loadDueAt = Infinity;
  }

  async function learn(client: KubeClient): Promise<void> {
    const before = facts;
    const learned = await readFacts(client, before, { signal: stopped.signal, onError }).catch(() => undefined);
    if (!learned || stopped.signal.aborted) return;
    facts = learned;
    if (!jsonEqual(learned, before)) onChange();
  }

  function scheduleLoad(delayMs: number): void {
    const due = Date.now() + delayMs;
    if (due >= loadDueAt) return;
    clearTimeout(loadTimer);
    loadDueAt = due;
    loadTimer = setTimeout(() => void lookAtLoad(), delayMs).unref();
  }

  async function lookAtLoad(): Promise<void> {
    const client = following?.client;
    if (!client) return;
    const read = await readLoad(client, stopped.signal).catch((error: unknown) => {
      if (!stopped.signal.aborted) onError(error);
    });
    if (stopped.signal.aborted || following?.client !== client) return;
    loadReadAt = Date.now();
    loadDueAt = Infinity;
    scheduleLoad(delayBeforeLoad(podsOf(read ?? load), false) * (0.8 + 0.4 * random()));
    if (!read || jsonEqual(read, load)) return;
    load = read;
    onChange();
  }

  function observationOf(): Observation {
    const nodes = following?.nodes();
    const { uid, version, platform, discovery } = facts;
    return {
      standing,
      uid,
      version,
      platform,
      apiResources: discovery?.apiResources,
      load,
      nodeSummary: nodes && summarizeNodes(nodes),
      provider: (nodes && discovery && detectProvider({ version, nodes, groups: groupsOf(discovery) })) ?? options.provider,
    };
  }
}

const podsOf = (load: MemberLoad | undefined): number => Number(load?.requested['pods'] ?? 0);

function groupsOf({ apiResources }: NonNullable<MemberFacts['discovery']>): Set<string> {
  return new Set(apiResources.map(({ groupVersion }) => groupVersion.slice(0, Math.max(groupVersion.indexOf('/'), 0))));
}
