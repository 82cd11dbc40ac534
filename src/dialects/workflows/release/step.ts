import type { KubeObject } from '../../../api/object.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { LogLine } from '../logs/run-logs.ts';
import type { MemberStepType } from '../kinds/step.ts';
import type { ReleaseBook, ReleaseName } from './book.ts';

export interface BlueGreenState {
  readonly primaryService: string;
  readonly stageService: string;
  /** Empty when the primary Service was not there. */
  readonly primaryColorBefore: string;
  readonly stageColor: string;
  /** Whether the Work says so: the member may still have to follow. */
  readonly swapped: boolean;
}

/** What two Services that have nothing to do with colors are to select: decided once, however often the step is tried. */
export interface ExchangeState {
  /** Of the step. */
  readonly position: number;
  readonly selectors: readonly Readonly<Record<string, string>>[];
}

/** What steps say to later steps, in the status of the ClusterRun. */
export interface StepState {
  readonly releaseNumber?: number;
  readonly previousRelease?: number;
  readonly canary?: { readonly workload: string; readonly instances: number };
  readonly blueGreen?: BlueGreenState;
  readonly exchange?: ExchangeState;
  readonly outputs?: StepOutputs;
  /** Names of the pods that the release had when it was steady. */
  readonly pods?: readonly string[];
}

export interface SeenPod {
  readonly name: string;
  readonly phase: string;
  /** Empty before it has one. */
  readonly node: string;
}

/** By the name that they have below `${k8s.…}`, such as `releaseNumber` and `canaryWorkload`; and `k8sResources.manifests` with its whole name. */
export type StepOutputs = Readonly<Record<string, string>>;

export interface StepSettings {
  readonly versioning: { readonly mode: 'Revision' | 'None'; readonly reuseUnchanged: boolean };
  /** How many succeeded releases before the present one are kept. */
  readonly historyLimit: number;
  readonly prune: { readonly enabled: boolean; readonly protectKinds: readonly string[] };
  readonly labelPrefix: string;
  /** Whether the workflow has a step CanaryDeploy. */
  readonly isCanaryRun: boolean;
  readonly isRollback: boolean;
  /** The name of the phase, for `inheritManifests`. */
  readonly phase: string;
  /** Where the step is among all of the run: the same for all its attempts. */
  readonly position: number;
}

export interface StepInput {
  readonly release: ReleaseName;
  readonly run: { readonly name: string; readonly uid: string; readonly wave: string };
  readonly book: ReleaseBook;
  /** What the Work holds now, without the records. */
  readonly present: readonly KubeObject[];
  /** The manifests for this cluster, namespaces filled in. For Apply and Delete: those of the files that the step names. */
  readonly rendered: readonly KubeObject[];
  /** What the member has, of what `neededOf` named. */
  live(ref: ObjectRef): KubeObject | undefined;
  /** All objects of a kind in the namespace, of what `neededListsOf` named. Absent where nobody can list. */
  listed?(kind: Omit<ObjectRef, 'name'>): readonly KubeObject[];
  /** Of what the step brought, when it ends. Absent where nobody can list. */
  readonly pods?: readonly SeenPod[];
  readonly settings: StepSettings;
  readonly with: Readonly<Record<string, unknown>>;
  readonly clusterRun: StepState;
}

export type OfflineInput = Omit<StepInput, 'live' | 'listed'>;

/** A manifest that is too large for its record: it must be there as a Content before the Work is written. */
export interface LargeManifest {
  /** The digest, as Contents are named: `sha256:…`. */
  readonly digest: string;
  readonly text: string;
}

interface Effects {
  readonly lines: readonly LogLine[];
  /** What changes of it. */
  readonly status: Omit<StepState, 'outputs'>;
  readonly outputs: StepOutputs;
}

/** What the Work holds next. */
export interface NextWork extends Effects {
  /** All of it, records included, in the order in which it is applied. */
  readonly objects: readonly KubeObject[];
  /** What must go from the member although the Work never held it, or now rather than in the background. */
  readonly remove: readonly ObjectRef[];
  readonly contents: readonly LargeManifest[];
}

export type StepBegin =
  | ({ readonly outcome: 'deliver'; /** What must be steady before the step ends. */ readonly await: readonly ObjectRef[] } & NextWork)
  | ({ readonly outcome: 'done'; readonly message?: string } & Effects)
  | { readonly outcome: 'skipped' | 'failed'; readonly message: string; readonly lines: readonly LogLine[] };

/** What of the member must be read before a step begins, and again before it ends. */
export type NeededOf = (type: MemberStepType, input: OfflineInput) => readonly ObjectRef[];
/** What the Work holds while the step goes on. The same answer when it is asked again after its own answer was written. */
export type BeginStep = (type: MemberStepType, input: StepInput) => StepBegin;
/** What the Work holds when the step has ended: from the Work as it is then. `rendered` is not looked at. */
export type EndStep = (type: MemberStepType, input: StepInput, result: 'steady' | 'failed') => NextWork;
