import type { JsonObject } from '../../../util/json.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';

/** What the run knows and the snapshot does not, for expressions. What is absent is unresolved. */
export interface ScopeFacts {
  readonly run?: {
    readonly name: string;
    readonly displayName?: string;
    readonly startedAt?: string;
    readonly triggeredBy?: string;
    readonly releaseNo?: string;
    readonly lastGoodReleaseNo?: string;
    readonly lastGoodDeploymentDisplayName?: string;
    readonly pipelineDeploymentUuid?: string;
    readonly pipelineResumeUuid?: string;
    /** The same for the whole run. */
    readonly timestampId?: string;
    readonly url?: string;
  };
  readonly pipeline?: { readonly name: string; readonly displayName: string };
  /** `variableOverrides` of the phase. */
  readonly phaseVariables?: Readonly<Record<string, string>>;
  /** Default: the service of the run. */
  readonly service?: string;
  /** The clusters of the run, once they are resolved. */
  readonly resolved?: readonly Pick<ResolvedCluster, 'id' | 'name'>[];
  readonly cluster?: ResolvedCluster;
  readonly wave?: { readonly name: string; readonly index: number; readonly clusters: readonly string[] };
  /** Outputs of steps on this cluster, such as `canaryWorkload`. */
  readonly k8s?: Readonly<Record<string, string>>;
  readonly k8sResources?: { readonly manifests: string };
  readonly rollbackArtifact?: JsonObject;
  /** What steps and approvals published. */
  readonly context?: JsonObject;
  readonly step?: { readonly name: string; readonly type: string };
  readonly httpResponseCode?: string;
  readonly httpResponseBody?: string;
  /** Of `readSecrets`. Without them encrypted variables are unresolved. */
  readonly secrets?: ReadonlyMap<string, string>;
}
