import { BoundError } from './kustomize-error.ts';
import type { MergeContext } from './merge-nodes.ts';
import { OpenApi } from './open-api.ts';

export interface KustomizeBounds {
  /** Files that are read, counted each time. */
  readonly maxFiles?: number;
  /** Bytes of one file. */
  readonly maxFileBytes?: number;
  /** Kustomizations inside kustomizations. */
  readonly maxDepth?: number;
  readonly maxResources?: number;
  readonly maxOutputBytes?: number;
  readonly timeoutMs?: number;
}

export const defaultBounds: Required<KustomizeBounds> = {
  maxFiles: 10_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxDepth: 100,
  maxResources: 20_000,
  maxOutputBytes: 64 * 1024 * 1024,
  timeoutMs: 60_000,
};

const ticksPerLook = 1024;

/** What one build shares: its schemas, and what it may still use. */
export class BuildContext implements MergeContext {
  readonly openApi = new OpenApi();
  readonly bounds: Required<KustomizeBounds>;
  private readonly endsAt: number;
  private ticks = 0;
  private filesLeft: number;

  constructor(bounds: KustomizeBounds) {
    this.bounds = { ...defaultBounds, ...bounds };
    this.endsAt = performance.now() + this.bounds.timeoutMs;
    this.filesLeft = this.bounds.maxFiles;
  }

  tick(): void {
    if (++this.ticks % ticksPerLook === 0) this.checkTime();
  }

  checkTime(): void {
    if (performance.now() > this.endsAt) throw new BoundError(`kustomization takes longer than ${this.bounds.timeoutMs} ms`);
  }

  countFile(name: string, sizeBytes: number): void {
    this.checkTime();
    if (--this.filesLeft < 0) throw new BoundError(`kustomization reads more than ${this.bounds.maxFiles} files`);
    if (sizeBytes > this.bounds.maxFileBytes) throw new BoundError(`file "${name}" has more than ${this.bounds.maxFileBytes} bytes`);
  }
}
