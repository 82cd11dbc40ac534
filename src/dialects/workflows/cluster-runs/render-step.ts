import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../api/object.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { errorText } from '../../../util/error-text.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { runScope, type ScopeFacts } from '../inputs/run-scope.ts';
import type { InputFault, RunInputs } from '../inputs/run-inputs.ts';
import { filePathsOf } from '../release/file-paths.ts';
import { renderWith } from './render-with.ts';
import type { StepContext } from './step-context.ts';
import { rendersService } from './step-types.ts';

export interface RenderedStep {
  /** What the step is told. */
  readonly with: JsonObject;
  readonly objects: readonly KubeObject[];
}

/** What a step is told and the manifests it needs, for one cluster. */
export async function renderStep(
  context: StepContext,
  secrets: ReadonlyMap<string, string>,
  inputs: Pick<RunInputs, 'renderFor'>,
  signal: AbortSignal,
): Promise<RenderedStep | { readonly fault: InputFault }> {
  const { snapshot, grant, cluster } = context;
  const facts: ScopeFacts = { ...context.facts, cluster, secrets };
  let given: JsonObject;
  try {
    given = renderWith((grant.with ?? {}) as JsonObject, runScope(snapshot, facts));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { fault: { failureType: 'ApplicationError', reason: 'UnresolvedExpression', message: errorText(error) } };
  }
  if (grant.type === 'Job') return renderJob(given, context);
  const filePaths = filePathsOf(given);
  if (!rendersService.has(grant.type) && filePaths.length === 0) return { with: given, objects: [] };
  const answer = await inputs.renderFor(
    snapshot,
    {
      cluster,
      facts,
      ...(facts.service !== undefined && { service: facts.service }),
      ...(!rendersService.has(grant.type) && { filePaths }),
      ...(given['skipRendering'] === true && { skipRendering: true }),
    },
    signal,
  );
  return 'fault' in answer ? answer : { with: given, objects: answer.objects };
}

function renderJob(given: JsonObject, context: StepContext): RenderedStep | { readonly fault: InputFault } {
  try {
    return { with: given, objects: inNamespace(jobOf(given), context.release.namespace).map(obj => ofAttempt(obj, context)) };
  } catch (error) {
    return { fault: { failureType: 'ApplicationError', reason: 'RenderFailed', message: errorText(error) } };
  }
}

const jobOf = ({ manifest }: JsonObject): KubeObject[] =>
  manifest === undefined ? [] : parseManifests(typeof manifest === 'string' ? manifest : writeYaml(manifest));

const maxNameLength = 50;
const keptSeconds = 86_400;

/** A Job that has run cannot be run again, or changed: each attempt has one of its own, which goes a day after its end unless it says when. */
function ofAttempt(obj: KubeObject, { run, grant }: StepContext): KubeObject {
  if (obj.kind !== 'Job' || obj.metadata.name === undefined) return obj;
  const mark = createHash('sha256').update(`${run.uid} ${grant.id}`).digest('hex').slice(0, 8);
  const spec = isJsonObject(obj['spec']) ? obj['spec'] : {};
  return {
    ...obj,
    metadata: { ...obj.metadata, name: `${obj.metadata.name.slice(0, maxNameLength)}-${mark}` },
    spec: { ttlSecondsAfterFinished: keptSeconds, ...spec },
  };
}

const inNamespace = (objects: readonly KubeObject[], namespace: string): KubeObject[] =>
  objects.map(obj => (obj.metadata.namespace === undefined ? { ...obj, metadata: { ...obj.metadata, namespace } } : obj));
