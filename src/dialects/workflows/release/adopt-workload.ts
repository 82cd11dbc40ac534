import type { KubeObject } from '../../../api/object.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import type { Color } from './book.ts';
import { find } from './compose-work.ts';
import { ownAnnotations, withAnnotations } from './marks.ts';
import { withTemplateLabels } from './pod-template.ts';
import type { StepInput } from './step.ts';

/** The workload that was there before Blue/Green, with a color. What the Work does not hold of it stays as the member has it. */
export function adoptWorkload(
  workload: KubeObject,
  { present, live, key, color }: Pick<StepInput, 'present' | 'live'> & { readonly key: string; readonly color: Color },
): KubeObject[] {
  const ref = refOf(workload);
  if (!live(ref)) return [];
  const base = find(present, ref) ?? fragmentOf(workload);
  return [withTemplateLabels(withAnnotations(base, { [ownAnnotations.adoptedColor]: color }), { [key]: color })];
}

/** Only who it is: what is applied to it changes nothing else. */
export function fragmentOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) } };
}

export const adoptedOf = (present: readonly KubeObject[], color: Color): KubeObject[] =>
  present.filter(({ metadata }) => metadata.annotations?.[ownAnnotations.adoptedColor] === color);
