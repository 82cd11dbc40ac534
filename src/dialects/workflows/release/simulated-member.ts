import type { KubeObject } from '../../../api/object.ts';
import { refKey, refOf } from '../../../core/delivery/object-ref.ts';
import type { MemberStepType } from '../kinds/step.ts';
import { keyOf } from './compose-work.ts';
import { readBook, withoutRecords } from './read-book.ts';
import type { StepBegin, StepInput, StepSettings, StepState } from './step.ts';
import { beginStep, endStep } from './steps.ts';

export const testSettings: StepSettings = {
  versioning: { mode: 'Revision', reuseUnchanged: false },
  historyLimit: 2,
  prune: { enabled: false, protectKinds: ['Namespace', 'PersistentVolumeClaim', 'CustomResourceDefinition'] },
  labelPrefix: 'harness.io',
  isCanaryRun: false,
  isRollback: false,
  phase: 'Deploy',
  position: 1,
};

export interface SimulatedStep {
  readonly rendered?: readonly KubeObject[];
  readonly with?: Readonly<Record<string, unknown>>;
  readonly settings?: Partial<StepSettings>;
  readonly result?: 'steady' | 'failed';
  /** How often the hub dies after it has written the first half, before it knows. */
  readonly crashes?: number;
}

/** For tests: one member that at once becomes what its Work says, and a run that keeps what steps tell it. */
export class SimulatedMember {
  readonly release = { name: 'web', namespace: 'prod' };
  /** What the Work holds, records included. */
  work: readonly KubeObject[] = [];
  /** What is on the member although no Work brought it. */
  readonly foreign = new Map<string, KubeObject>();
  run = { name: 'run-0', uid: 'uid-0', wave: 'all' };
  state: StepState = {};
  #runs = 0;

  beginRun(): void {
    this.#runs++;
    this.run = { name: `run-${this.#runs}`, uid: `uid-${this.#runs}`, wave: 'all' };
    this.state = {};
  }

  input({ rendered = [], with: given = {}, settings }: SimulatedStep = {}): StepInput {
    const { release, run, state } = this;
    return {
      release,
      run,
      book: readBook(this.work, [...this.foreign.values()], release),
      present: withoutRecords(this.work, release),
      rendered,
      live: ref => this.live(refKey(ref)),
      listed: of => [...this.foreign.values()].filter(({ kind }) => kind === of.kind),
      settings: { ...testSettings, ...settings },
      with: given,
      clusterRun: state,
    };
  }

  live(key: string): KubeObject | undefined {
    return this.work.find(obj => keyOf(obj) === key) ?? this.foreign.get(key);
  }

  put(obj: KubeObject): void {
    this.foreign.set(refKey(refOf(obj)), obj);
  }

  /** By kind and name. */
  find(kind: string, name: string): KubeObject | undefined {
    return this.work.find(obj => obj.kind === kind && obj.metadata.name === name);
  }

  names(kind: string): string[] {
    return this.work.filter(obj => obj.kind === kind).map(({ metadata }) => metadata.name ?? '');
  }

  get book() {
    return readBook(this.work, [], this.release);
  }

  /** Both halves of a step, as a controller does them. */
  step(type: MemberStepType, options: SimulatedStep = {}): StepBegin {
    const { result = 'steady', crashes = 0 } = options;
    let begun = this.begin(type, options);
    for (let i = 0; i < crashes; i++) begun = this.begin(type, options);
    if (begun.outcome === 'deliver') this.end(type, options, result);
    return begun;
  }

  begin(type: MemberStepType, options: SimulatedStep): StepBegin {
    const begun = beginStep(type, this.input(options));
    if (begun.outcome === 'deliver' || begun.outcome === 'done') this.#learn(begun);
    if (begun.outcome === 'deliver') this.#become(begun);
    return begun;
  }

  end(type: MemberStepType, options: SimulatedStep, result: 'steady' | 'failed'): void {
    const { rendered: _rendered, ...rest } = options;
    const next = endStep(type, this.input(rest), result);
    this.#learn(next);
    this.#become(next);
  }

  #learn({ status, outputs }: { status: StepState; outputs: NonNullable<StepState['outputs']> }): void {
    this.state = { ...this.state, ...status, outputs: { ...this.state.outputs, ...outputs } };
  }

  #become({
    objects,
    remove,
  }: {
    objects: readonly KubeObject[];
    remove: readonly { group: string; version: string; kind: string; namespace?: string; name: string }[];
  }): void {
    const kept = new Set(objects.map(keyOf));
    this.work = objects;
    for (const ref of remove) if (!kept.has(refKey(ref))) this.foreign.delete(refKey(ref));
  }
}

/** Objects for tests. */
export const web = {
  config: (value: string, name = 'config', annotations: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'prod', annotations },
    data: { value },
  }),
  secret: (value: string, name = 'token'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'prod' },
    stringData: { value },
  }),
  service: (name = 'web', spec: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'prod', annotations },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
  }),
  deployment: (
    image: string,
    { name = 'web', replicas = 1, pod = {} }: { name?: string; replicas?: number; pod?: object } = {},
  ): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'prod' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image, envFrom: [{ configMapRef: { name: 'config' } }] }], ...pod },
      },
    },
  }),
};
