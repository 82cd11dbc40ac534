import { createHash } from 'node:crypto';
import type { Work } from '../../api/work.ts';
import { printJson, sortKeys, type Json } from '../../util/json.ts';
import { oncePerGeneration } from './once-per-generation.ts';

/**
 * Names what a delivery puts on a member: equal inputs are not delivered twice. What a member can do is not among them, so that a new kind on a
 * member does not deliver every chart anew; nor are options that only say how to get there, such as time-outs.
 */
export const inputsOf = oncePerGeneration(({ spec }) => digestOf(spec));

/** Whether these are the inputs of the Work, told by whoever delivers it: agents of older programs know nothing of `again`. */
export const areInputsOf = (work: Work, inputs: string): boolean =>
  inputs === inputsOf(work) || (work.spec.options?.again !== undefined && inputs === plainInputsOf(work));

const plainInputsOf = oncePerGeneration(({ spec: { options, ...spec } }) => {
  const { again: _, ...others } = options ?? {};
  return digestOf({ ...spec, options: others });
});

function digestOf(spec: Work['spec']): string {
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
    ...(options?.again !== undefined && { again: options.again }),
  };
  return `sha256:${createHash('sha256')
    .update(printJson(sortKeys(inputs as unknown as Json)))
    .digest('hex')}`;
}
