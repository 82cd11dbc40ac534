import type { ClusterEntry, RolloutSpec, RolloutState } from '../../api/rollout.ts';
import { cloneJson } from '../../util/json.ts';
import { revisionFor } from './cluster-states.ts';
import { nextRollout, type RolloutStep } from './next-rollout.ts';
import type { Delivery, RolloutCluster } from './rollout-step.ts';

/** What becomes of a revision on a cluster, and after how many seconds. */
export interface Fate {
  readonly becomes: 'done' | 'failed' | 'unhealthy';
  readonly afterSeconds: number;
}

export interface SimulatedCluster {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** By revision. Done after a second when nothing is said. */
  readonly fates?: Readonly<Record<string, Fate>>;
  readiness?: RolloutCluster['readiness'];
  isHeld?: boolean;
}

interface Given {
  readonly revision: string;
  readonly at: number;
}

/** Clusters that do what they are told, each in its own way, under a clock that is moved by hand. For tests. */
export class SimulatedClusters {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  state: RolloutState | undefined;
  spec: RolloutSpec;
  revision = 'r1';
  request: string | undefined;
  last: RolloutStep | undefined;
  readonly #given = new Map<string, Given>();
  readonly clusters: SimulatedCluster[];

  constructor(clusters: SimulatedCluster[], spec: RolloutSpec) {
    this.clusters = clusters;
    this.spec = spec;
  }

  /** One step from what is written. Unless it is lost, it is written. */
  step(isLost = false): RolloutStep {
    const input = {
      spec: this.spec,
      revision: this.revision,
      before: this.state,
      request: this.request,
      clusters: this.clusters.map(({ name, labels = {}, readiness = 'ready', isHeld = false }) => ({ name, labels, readiness, isHeld })),
      see: (name: string, revision: string) => this.see(name, revision),
      now: new Date(this.nowMs),
    } as const;
    const step = nextRollout(input);
    if (isLost) return step;
    // As if it had been written and read by another process.
    this.state = cloneJson(step.state);
    this.last = step;
    return step;
  }

  /** Gives every cluster what the written state says it should have. */
  act(): void {
    for (const { name } of this.clusters) {
      const wanted = this.state && revisionFor(this.state, name);
      if (wanted !== undefined && this.#given.get(name)?.revision !== wanted) this.#given.set(name, { revision: wanted, at: this.nowMs });
    }
  }

  see(name: string, revision: string): Delivery {
    const given = this.#given.get(name);
    if (given?.revision !== revision) return { is: 'underWay' };
    const { becomes, afterSeconds } = this.fateOf(name, revision);
    const at = given.at + afterSeconds * 1000;
    if (this.nowMs < at) return { is: becomes === 'unhealthy' ? 'done' : 'underWay' };
    if (becomes === 'done') return { is: 'done' };
    if (becomes === 'failed') return { is: 'failed', message: 'it broke' };
    return { is: 'done', unhealthy: { since: new Date(at), isCertain: true, message: 'it fell over' } };
  }

  fateOf(name: string, revision: string): Fate {
    return this.clusters.find(one => one.name === name)?.fates?.[revision] ?? { becomes: 'done', afterSeconds: 1 };
  }

  revisionOn(name: string): string | undefined {
    return this.#given.get(name)?.revision;
  }

  /** Steps and acts, second after second. */
  run(seconds: number): void {
    for (let i = 0; i < seconds; i++) {
      this.step();
      this.act();
      this.nowMs += 1000;
    }
    this.step();
  }

  entry(name: string): ClusterEntry | undefined {
    return this.state?.waves.flatMap(wave => wave.clusters).find(one => one.name === name);
  }

  states(): Record<string, string> {
    const entries = this.state?.waves.flatMap(wave => wave.clusters) ?? [];
    return Object.fromEntries(entries.map(({ name, state }) => [name, state]));
  }
}
