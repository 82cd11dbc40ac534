import { jsonEqual } from '../../../util/json.ts';
import type { FreezeAnswer } from '../freezes/freeze-desk.ts';
import type { GateAnswer } from '../gates/gate-desk.ts';
import { resolveMessages } from '../infrastructure/resolve-messages.ts';
import type { Resolution } from '../inputs/run-inputs.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import type { StepResult } from '../kinds/cluster-run.ts';
import type { RunState } from '../kinds/workflow-run.ts';
import { clusterStateOf, grantStatus, isInFlight, type Grant, type GrantedCluster } from './cluster-grant.ts';
import { nextRun } from './next-run.ts';
import { openOrders } from './run-orders.ts';
import type { RunStatus } from './run-status.ts';
import type { GateQuestion, Illness, RunInput, RunStep } from './run-step.ts';

export interface Fate {
  readonly status: StepResult['status'];
  readonly afterSeconds: number;
  readonly failureType?: string;
}

export interface SimulatedMember {
  readonly id: string;
  readonly labels?: Readonly<Record<string, string>>;
  isReady?: boolean;
  isHeld?: boolean;
  isGone?: boolean;
  isMeant?: boolean;
  isKeptAway?: boolean;
  /** Since when what was delivered is unhealthy. */
  illSince?: Date | undefined;
}

/** A step as a cluster did it. */
export interface Deed {
  readonly cluster: string;
  readonly grant: Grant;
  readonly atSecond: number;
}

/** Whoever wrote this much has died. */
class Killed extends Error {}

type WorkflowSpec = Record<string, unknown>;

/** A run and its clusters without a hub: whatever a controller would write is kept here, and nothing else. */
export class SimulatedFleet {
  status: RunStatus | undefined;
  readonly parts = new Map<string, GrantedCluster>();
  readonly members: SimulatedMember[];
  readonly deeds: Deed[] = [];
  readonly happenings: { event: string; cluster?: string | undefined; wave?: string | undefined; message: string }[] = [];
  readonly asked: GateQuestion[] = [];
  state: RunState = 'Run';
  mode: 'Apply' | 'Preview' = 'Apply';
  generation = 1;
  second = 0;
  queue = { ahead: 0, waiting: 0 };
  freeze: FreezeAnswer = { isOpen: true, mustPause: false };
  hubRoom = 1000;
  /** How far the clock was set forward. */
  aheadMs = 0;
  isNewest = true;
  skipGates: string[] = [];
  previewHash: string | null | undefined;
  isDeleted = false;
  /** What becomes of a step on a cluster. */
  fateOf: (cluster: string, grant: Grant) => Fate = () => ({ status: 'Succeeded', afterSeconds: 1 });
  /** What a gate answers. */
  answerOf: (question: GateQuestion, second: number) => GateAnswer = () => ({ phase: 'Successful', state: {} });
  holds: (expression: string) => boolean = expression => expression === 'true';
  /** Sees every status that is written, with the parts as they are. */
  check: () => void = () => {};
  readonly #spec: WorkflowSpec;
  readonly #infrastructure: Record<string, unknown>;
  readonly #said = new Map<number, readonly string[]>();
  readonly #since = new Map<string, { id: number; atSecond: number }>();
  #heededMs = 0;
  #writesLeft = Infinity;

  constructor(members: readonly SimulatedMember[], spec: WorkflowSpec = {}, infrastructure: Record<string, unknown> = {}) {
    this.members = members.map(one => ({ ...one }));
    this.#spec = { type: 'Rolling', ...spec };
    this.#infrastructure = infrastructure;
  }

  get now(): Date {
    return new Date(Date.parse('2026-01-01T00:00:00Z') + this.second * 1000 + this.aheadMs);
  }

  get lines(): string[] {
    return [...this.#said.values()].flat();
  }

  want(state: RunState): void {
    this.state = state;
    this.generation++;
  }

  member(id: string): SimulatedMember {
    return this.members.find(one => one.id === id)!;
  }

  stateOf(id: string): string {
    return clusterStateOf(this.parts.get(id) ?? { spec: {} });
  }

  states(): Record<string, string> {
    return Object.fromEntries(this.members.map(({ id }) => [id, this.stateOf(id)]));
  }

  inFlight(): string[] {
    return this.members.map(one => one.id).filter(id => isInFlight(this.parts.get(id) ?? { spec: {} }));
  }

  /** The controller, from its start. With a number, it dies after so many writes. Answers whether it lived. */
  reconcile(writes = Infinity): boolean {
    this.#writesLeft = writes;
    try {
      this.#carryOut();
      for (let passes = 0; ; passes++) {
        if (passes > 20) throw new Error(`the run does not come to rest: ${JSON.stringify(this.status?.engine)}`);
        if (!this.#pass()) return true;
      }
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  }

  #pass(): boolean {
    let answer: RunInput['answer'];
    for (let answers = 0; answers < 6; answers++) {
      const step = nextRun(this.#input(answer));
      if (step.isExpired) {
        this.isDeleted = true;
        return false;
      }
      const isNews = !jsonEqual(step.status, this.status);
      if (isNews) this.#write(step);
      this.#heededMs = this.aheadMs;
      if (step.asksForPause) this.#count(() => this.want('Pause'));
      if (step.wants === undefined) return isNews || step.asksForPause;
      answer = step.wants === 'snapshot' ? { snapshot: this.#snapshot() } : { resolution: this.#resolution() };
    }
    throw new Error('the run always wants more');
  }

  #write({ status, happenings }: RunStep): void {
    for (const { event, cluster, wave, message } of happenings) this.happenings.push({ event, cluster, wave, message });
    // Through JSON, as it comes back from a server.
    this.#count(() => (this.status = JSON.parse(JSON.stringify(status)) as RunStatus));
    this.#carryOut();
    this.check();
  }

  #carryOut(): void {
    for (const { id, lines } of this.status?.engine?.lines ?? []) {
      const before = this.#said.get(id) ?? [];
      this.#said.set(id, [...before, ...lines.slice(before.length).map(one => one.message)]);
    }
    for (const { ids, grant, standing } of openOrders(this.status?.engine?.orders ?? [], this.parts))
      for (const id of ids)
        this.#count(() => {
          const status = this.parts.get(id)?.status;
          this.parts.set(id, { spec: { ...(grant && { grant }), ...(standing && { standing }) }, ...(status && { status }) });
        });
  }

  #count(write: () => void): void {
    if (this.#writesLeft-- <= 0) throw new Killed();
    write();
  }

  /** What clusters do in a second. */
  tick(): void {
    this.second++;
    for (const { id } of this.members) this.#work(id);
  }

  #work(id: string): void {
    const part = this.parts.get(id);
    const grant = part?.spec.grant;
    if (!part || !grant || part.spec.standing || grantStatus(part) !== 'Running') return;
    const member = this.member(id);
    if (member.isGone === true) return;
    let begun = this.#since.get(id);
    if (begun?.id !== grant.id) {
      this.#since.set(id, (begun = { id: grant.id, atSecond: this.second }));
      this.deeds.push({ cluster: id, grant, atSecond: this.second });
    }
    const { status, afterSeconds, failureType } = this.fateOf(id, grant);
    if (this.second - begun.atSecond < afterSeconds) return;
    const step = { status, ...(failureType !== undefined && { failureType }), ...(status === 'Failed' && { message: 'it broke' }) };
    this.parts.set(id, { ...part, status: { grant: grant.id, step, outputs: {} } });
  }

  /** So many seconds, or until the run is over. */
  run(seconds = 300): void {
    this.reconcile();
    for (let i = 0; i < seconds && this.status?.finishedAt === undefined && !this.isDeleted; i++) {
      this.tick();
      this.reconcile();
    }
  }

  #input(answer: RunInput['answer']): RunInput {
    return {
      namespace: 'shop',
      name: 'r',
      generation: this.generation,
      createdAt: this.now,
      mode: this.mode,
      state: this.state,
      skipGates: this.skipGates,
      previewHash: this.previewHash,
      before: this.status,
      clusterRuns: this.parts,
      seeCluster: id => {
        const { isReady = true, isHeld = false, isGone = false, isMeant = true, isKeptAway = false } = this.member(id);
        return isGone ? undefined : { isReady, isHeld, isMeant, isKeptAway };
      },
      seeLatecomers: () => {
        const known = new Set(this.status?.resolvedClusters?.map(one => one.id));
        return this.members.filter(one => one.isGone !== true && !known.has(one.id)).map(({ id }) => ({ id, name: id.toUpperCase() }));
      },
      seeIllness: id => this.#illness(id),
      queue: this.queue,
      freeze: () => this.freeze,
      hubRoom: Math.max(0, this.hubRoom - this.inFlight().length),
      isNewest: this.isNewest,
      nextReleaseNo: 1,
      lookAt: question => {
        this.asked.push(question);
        return this.answerOf(question, this.second);
      },
      holds: expression => this.holds(expression),
      render: values => ({ ...values }),
      answer,
      now: this.now,
      jumpMs: this.aheadMs - this.#heededMs,
    };
  }

  #illness(id: string): Illness | undefined {
    const { illSince } = this.member(id);
    return illSince && { since: illSince, isCertain: false, message: 'it is unhealthy' };
  }

  #resolution(): Resolution {
    const eligible = this.members.filter(one => one.isGone !== true).map(({ id, labels = {} }) => ({ id, name: id.toUpperCase(), labels }));
    const line = { unit: 'Execute', level: 'INFO', message: `Eligible: ${eligible.map(one => one.id).join(' ')}` } as const;
    if (eligible.length > 0) return { lines: [line], fetched: eligible, eligible };
    return {
      lines: [line],
      fault: { failureType: 'ApplicationError', reason: 'NoEligibleCluster', message: resolveMessages.noneEligible },
    };
  }

  #snapshot(): RunSnapshot {
    return {
      app: { name: 'shop', description: '' },
      workflow: { name: 'w', description: '', spec: this.#spec as never },
      environment: { name: 'prod', description: '', type: 'Prod', variables: [] },
      infrastructure: { name: 'i', spec: this.#infrastructure as never, infraId: 'x', namespace: 'shop', releaseName: 'web' },
      provider: { name: 'p', type: 'Drover' },
      service: 'web',
      services: {},
      variables: {},
    };
  }
}
