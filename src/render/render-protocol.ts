import type { JsonObject } from '../util/json.ts';
import type { Capabilities } from './helm/capabilities.ts';
import type { Hook, Manifest } from './helm/manifests.ts';
import type { PatchedManifests, PatchJob } from './kustomize/patch-manifests.ts';
import type { TextTemplate } from './text/render-text.ts';

/** A folder to kustomize, as it is asked of a worker. */
export interface BuildRequest {
  readonly type: 'kustomization';
  /** The folder as a gzipped tar. */
  readonly archive: Uint8Array;
  /** The folder inside that holds the kustomization. */
  readonly path: string;
}

/** A template that stands alone, as it is asked of a worker. */
export interface TextRequest extends TextTemplate {
  /** A text, or a map that is written as YAML. */
  readonly type: 'text' | 'map';
}

/** Manifests to patch, as it is asked of a worker. */
export interface PatchRequest extends PatchJob {
  readonly type: 'patches';
}

export type WorkerRequest = RenderRequest | BuildRequest | TextRequest | PatchRequest;

/** One rendering, as it is asked of a worker. */
export interface RenderRequest {
  readonly type: 'chart';
  readonly digest: string;
  readonly values: JsonObject;
  readonly release: ReleaseFacts;
  readonly capabilities: Capabilities | undefined;
  readonly hasLookup: boolean;
  /** Whether the worker must tell the files of the chart; whoever asks keeps them. */
  readonly wantsBody: boolean;
}

/** What templates see as `.Release`. */
export interface ReleaseFacts {
  readonly name: string;
  readonly namespace: string;
  readonly revision?: number;
  readonly isUpgrade?: boolean;
}

export interface WorkerResult {
  readonly manifests: readonly Manifest[];
  readonly hooks: readonly Hook[];
  readonly definitions: readonly { readonly path: string; readonly data: Uint8Array }[];
  readonly notes: string;
  readonly usedLookup: boolean;
  readonly isUnrepeatable: boolean;
  readonly metadata: JsonObject;
  readonly recordHead: string;
  readonly recordBody: string | undefined;
}

/** What a chart gave, the manifests of a kustomization, what a template gave, or patched manifests. */
export type WorkerAnswer = WorkerResult | string | JsonObject | PatchedManifests;

/** What a worker needs while it renders; it waits for the answer. */
export type Question =
  | { readonly type: 'chart' }
  | { readonly type: 'lookup'; readonly apiVersion: string; readonly kind: string; readonly namespace: string; readonly name: string };

export type Answer = { readonly value: unknown } | { readonly error: string };

export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'done'; readonly result: WorkerAnswer }
  | { readonly type: 'failed'; readonly message: string; readonly isBug: boolean };
