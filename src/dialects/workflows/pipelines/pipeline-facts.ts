import { isJsonObject, parseJson, type JsonObject } from '../../../util/json.ts';
import { deliveryAnnotations } from '../names.ts';

/** What a run of a stage knows of the pipeline. */
export interface PipelineFacts {
  readonly name: string;
  readonly displayName: string;
  /** Of the PipelineRun. */
  readonly uid: string;
  /** What earlier stages published. */
  readonly context: JsonObject;
}

/** Of a WorkflowRun; undefined when no pipeline made it. Whoever writes nonsense there gets nothing of it. */
export function pipelineFacts(annotations: Readonly<Record<string, string>> = {}): PipelineFacts | undefined {
  const text = annotations[deliveryAnnotations.pipeline];
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    if (!isJsonObject(value)) return undefined;
    const { name, displayName, uid, context } = value;
    return { name: String(name), displayName: String(displayName), uid: String(uid), context: isJsonObject(context) ? context : {} };
  } catch {
    return undefined;
  }
}
