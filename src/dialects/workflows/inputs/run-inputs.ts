import type { KubeObject } from '../../../api/object.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import type { ScopeFacts } from './run-scope.ts';

/** Why something that a run needs cannot be had, for `failure` of status and for failure strategies. */
export interface InputFault {
  readonly failureType: 'ApplicationError' | 'Connectivity' | 'Authentication';
  /** CamelCase, such as `UnresolvedExpression`, `EmptySelection`, `SourceFailed`, `RenderFailed`. */
  readonly reason: string;
  readonly message: string;
}

export interface ResolveLine {
  readonly unit: 'Execute';
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
}

/** What became of a look at the provider. The lines are those of the step, whichever way it ended. */
export type Resolution = { readonly lines: readonly ResolveLine[] } & (
  { readonly fetched: readonly ResolvedCluster[]; readonly eligible: readonly ResolvedCluster[] } | { readonly fault: InputFault }
);

export interface RenderRequest {
  readonly cluster: ResolvedCluster;
  /** Who is asked for expressions; the cluster is added here. */
  readonly facts: ScopeFacts;
  /** Default: the service of the run. */
  readonly service?: string;
  /** For Apply and Delete: these files, also those that are left out of deployments. */
  readonly filePaths?: readonly string[];
  /** For Apply: the files as they are written. */
  readonly skipRendering?: boolean;
}

/** A run as inputs need it. */
export interface SnapshotRequest {
  readonly namespace: string;
  readonly workflow: string;
  /** `spec.variables` of the run. */
  readonly variables: Readonly<Record<string, string>>;
  /** `spec.artifacts` of the run. */
  readonly artifacts?: readonly {
    readonly service?: string;
    readonly artifact?: string;
    readonly buildNumber?: string;
    readonly tag?: string;
    readonly digest?: string;
  }[];
  /** What else expressions of references and of the infrastructure may name. */
  readonly facts: ScopeFacts;
  /** Instead of the infrastructure that the workflow names. */
  readonly infrastructure?: string;
}

export interface RunInputs {
  /** Reads what the run is made of, fetches its manifests once and keeps their bytes as Contents that are held. Throws only when the hub cannot be asked. */
  takeSnapshot(request: SnapshotRequest, signal: AbortSignal): Promise<{ readonly snapshot: RunSnapshot } | { readonly fault: InputFault }>;
  /** Asks the provider, and chooses. `only` and `exclude` are names or ids. */
  resolveClusters(
    snapshot: RunSnapshot,
    request: {
      readonly namespace: string;
      readonly facts: ScopeFacts;
      readonly only?: readonly string[];
      readonly exclude?: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<Resolution>;
  /** The objects for one cluster: rendered, overridden, with their namespaces, in the order of the manifests. Equal inputs give the same objects, which must not be changed. */
  renderFor(
    snapshot: RunSnapshot,
    request: RenderRequest,
    signal: AbortSignal,
  ): Promise<{ readonly objects: readonly KubeObject[] } | { readonly fault: InputFault }>;
  /** The values of all secrets that the snapshot names, by the path of the expression that gives them, such as `serviceVariable.password`. For expressions and for masking. */
  readSecrets(namespace: string, snapshot: RunSnapshot, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}
