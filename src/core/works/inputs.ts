import { createHash } from 'node:crypto';
import { printJson, sortKeys, type Json } from '../../util/json.ts';
import { oncePerGeneration } from './once-per-generation.ts';

/**
 * Names what a delivery puts on a member: equal inputs are not delivered twice. What a member can do is not among them, so that a new kind on a
 * member does not deliver every chart anew; nor are options that only say how to get there, such as time-outs.
 */
export const inputsOf = oncePerGeneration(({ spec }) => {
  const { release, chart, values, kustomization, manifests, content, patches, remove = [], options } = spec;
  const inputs = {
    release,
    ...(chart && { chart: chart.content, values, crds: options?.crds, hooks: options?.hooks }),
    ...(kustomization && { kustomization: kustomization.content, path: kustomization.path }),
    ...(manifests && { manifests }),
    ...(content !== undefined && { content }),
    ...(patches && { patches }),
    ...(remove.length > 0 && { remove }),
    prune: options?.prune,
    ...(options?.again !== undefined && !chart && { again: options.again }),
  };
  return `sha256:${createHash('sha256')
    .update(printJson(sortKeys(inputs as unknown as Json)))
    .digest('hex')}`;
});
