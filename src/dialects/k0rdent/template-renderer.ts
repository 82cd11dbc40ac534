import { createRenderPool, type RenderPool } from '../../render/render-pool.ts';

/** Runs templates of values, apart from charts: one that does not end holds up neither deliveries nor the hub. */
export function templateRenderer(signal: AbortSignal): RenderPool {
  const pool = createRenderPool({ size: 1, timeoutMs: 10_000, heapMb: 256 });
  signal.addEventListener('abort', () => void pool[Symbol.asyncDispose](), { once: true });
  return pool;
}
