import type { KubeObject } from '../../../api/object.ts';
import { foundKey, markKey, withAnnotations } from './marks.ts';
import { selectorOf, withSelectorLabels, withTemplateLabels } from './pod-template.ts';

const changeCause = 'kubernetes.io/change-cause';

export interface LabelInput {
  readonly prefix: string;
  readonly releaseName: string;
  readonly run: string;
  readonly isCanaryRun: boolean;
  /** The workload as the member has it. */
  readonly live: KubeObject | undefined;
}

/** A managed workload as a rolling deployment applies it. */
export function labelWorkload(obj: KubeObject, { prefix, releaseName, run, isCanaryRun, live }: LabelInput): KubeObject {
  const named = withTemplateLabels(withCause(obj, run), { [markKey(prefix, 'release-name')]: releaseName });
  const isNewSelector = !live && (obj.kind === 'Deployment' || obj.kind === 'DeploymentConfig');
  const track = isCanaryRun ? { [markKey(prefix, 'track')]: 'stable' } : {};
  const labelled = withTemplateLabels(named, track);
  return keepSelector(isNewSelector ? withSelectorLabels(labelled, track) : labelled, live, prefix);
}

/** Selectors cannot be changed: whether one has our labels is decided when the object is made. */
export function keepSelector(obj: KubeObject, live: KubeObject | undefined, prefix: string): KubeObject {
  if (!live) return obj;
  const selector = selectorOf(live);
  const key = foundKey(selector, prefix, 'track');
  if (key === undefined) return withoutSelectorLabel(obj, markKey(prefix, 'track'));
  const track = { [key]: selector[key] ?? '' };
  return withTemplateLabels(withSelectorLabels(obj, track), track);
}

function withoutSelectorLabel(obj: KubeObject, key: string): KubeObject {
  const { [key]: given, ...rest } = selectorOf(obj);
  if (given === undefined) return obj;
  const selector = obj.kind === 'DeploymentConfig' ? rest : { ...(obj['spec'] as { selector: object }).selector, matchLabels: rest };
  return { ...obj, spec: { ...(obj['spec'] as object), selector } };
}

export const withCause = (obj: KubeObject, run: string): KubeObject =>
  obj.metadata.annotations?.[changeCause] === undefined ? withAnnotations(obj, { [changeCause]: `drover run ${run}` }) : obj;
