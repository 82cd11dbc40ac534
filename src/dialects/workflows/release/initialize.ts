import type { KubeObject } from '../../../api/object.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { manifestText, maskedText } from './manifest-text.ts';
import { sortObjects } from './sort-objects.ts';
import { unitLog } from './step-log.ts';
import type { StepBegin, StepInput } from './step.ts';

const manifestsOutput = 'k8sResources.manifests';
const exporterOutput = 'k8sResources.exportedBy';
const nothingToInherit = 'No kubernetes resources found to inherit';

/** Most clusters of a run have the same manifests. */
const said = new WeakMap<readonly KubeObject[], readonly LogLine[]>();

/** What is said of manifests before anything is done with them. */
export function initializeLines({ rendered }: Pick<StepInput, 'rendered'>): readonly LogLine[] {
  const known = said.get(rendered);
  if (known) return known;
  const text = maskedText(sortObjects(rendered)).trimEnd();
  const { lines } = unitLog('Initialize').info('Manifests [Post template rendering] :').info(text).done();
  said.set(rendered, lines);
  return lines;
}

/** The step goes no further: a later one takes the manifests up. */
export function exportManifests(type: string, input: StepInput): StepBegin {
  const outputs = { [manifestsOutput]: manifestText(sortObjects(input.rendered)), [exporterOutput]: exporterOf(type, input) };
  return { outcome: 'done', lines: initializeLines(input), status: {}, outputs };
}

/** The input with what the same step of the same phase has exported, or why there is none. */
export function inheritManifests(type: string, input: StepInput): StepInput | string {
  const { outputs = {} } = input.clusterRun;
  const text = outputs[manifestsOutput];
  if (text === undefined || outputs[exporterOutput] !== exporterOf(type, input)) return nothingToInherit;
  return { ...input, rendered: parseManifests(text) };
}

const exporterOf = (type: string, { settings }: StepInput): string => `${settings.phase}/${type}`;
