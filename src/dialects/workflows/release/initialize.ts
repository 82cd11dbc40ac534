import type { KubeObject } from '../../../api/object.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { maskedText } from './manifest-text.ts';
import { packManifest } from './record-codec.ts';
import { sortObjects } from './sort-objects.ts';
import { unitLog } from './step-log.ts';
import type { StepBegin, StepInput } from './step.ts';

const manifestsOutput = 'k8sResources.manifests';
const exporterOutput = 'k8sResources.exportedBy';
const hashOutput = 'k8sResources.exportedHash';
const nothingToInherit = 'No kubernetes resources found to inherit';
const notAsExported = 'What the expressions stand for has changed since the kubernetes resources were exported';

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
  const { rendered } = input;
  const outputs = {
    [manifestsOutput]: maskedText(sortObjects(rendered)),
    [exporterOutput]: exporterOf(type, input),
    [hashOutput]: hashOf(rendered),
  };
  return { outcome: 'done', lines: initializeLines(input), status: {}, outputs };
}

/** Why a step cannot go on with what the same step of the same phase has exported. Every step renders the same files: what was exported need not be kept. */
export function cannotInherit(type: string, input: StepInput): string | undefined {
  const { outputs = {} } = input.clusterRun;
  if (outputs[exporterOutput] !== exporterOf(type, input)) return nothingToInherit;
  return outputs[hashOutput] === hashOf(input.rendered) ? undefined : notAsExported;
}

const hashOf = (objects: readonly KubeObject[]): string => packManifest(sortObjects(objects)).hash;

const exporterOf = (type: string, { settings }: StepInput): string => `${settings.phase}/${type}`;
