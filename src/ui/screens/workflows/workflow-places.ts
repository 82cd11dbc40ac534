import type { KubeObject } from '../../data/kinds.ts';

type Named = Pick<KubeObject, 'metadata'>;

const placeAt =
  (root: string) =>
  ({ metadata: { namespace = '', name = '' } }: Named): string =>
    `${root}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export const workflowPlace = placeAt('/workflows');
export const runPlace = placeAt('/workflows/runs');
export const pipelinePlace = placeAt('/workflows/pipelines');
export const pipelineRunPlace = placeAt('/workflows/pipeline-runs');

export const named = (namespace: string | undefined, name: string): Named => ({
  metadata: { ...(namespace !== undefined && { namespace }), name },
});

const requestedAt = 'delivery.drover.io/requested-at';

/** Finer than seconds where that is known, so that lists have an order. */
export const ageOf = ({ metadata }: Named): number => -Date.parse(metadata.annotations?.[requestedAt] ?? metadata.creationTimestamp ?? '');
