import { badRequest } from '../../../api/status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { ArtifactChoice } from '../kinds/workflow-run.ts';
import type { Start } from '../triggers/trigger-decision.ts';

/** What a caller gives with a webhook: `{"application", "artifacts": [{"service", "buildNumber"}], "parameters": {}}`. Throws 400. */
export function readWebhookBody(body: JsonObject, { metadata, spec }: Trigger): Pick<Start, 'payload' | 'variables' | 'artifacts'> {
  const { application, artifacts, parameters } = body;
  if (application !== undefined && application !== null && application !== '' && application !== metadata.namespace)
    throw badRequest(`the application of this webhook is ${JSON.stringify(metadata.namespace)}`);
  const variables = readParameters(parameters);
  const taken = Object.keys(variables).find(name => Object.hasOwn(spec.action.variables ?? {}, name));
  if (taken !== undefined) throw badRequest(`variable ${JSON.stringify(taken)} is set by the trigger`);
  const choices = readArtifacts(artifacts);
  return {
    payload: body,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(choices.length > 0 && { artifacts: choices }),
  };
}

function readParameters(value: Json | undefined): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw badRequest('"parameters" must be an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (typeof one === 'object') throw badRequest(`parameter ${JSON.stringify(name)} must be a text`);
      return [name, String(one)];
    }),
  );
}

function readArtifacts(value: Json | undefined): ArtifactChoice[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badRequest('"artifacts" must be a list');
  return value.map(one => {
    const { service, buildNumber, artifactSourceName } = isJsonObject(one) ? one : {};
    if (typeof service !== 'string' || (typeof buildNumber !== 'string' && typeof buildNumber !== 'number'))
      throw badRequest('each of "artifacts" must have "service" and "buildNumber"');
    return { service, buildNumber: String(buildNumber), ...(typeof artifactSourceName === 'string' && { artifact: artifactSourceName }) };
  });
}
