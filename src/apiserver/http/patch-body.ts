import { badRequest } from '../../api/status.ts';
import { parseJson } from '../../util/json.ts';
import type { Patch } from '../cluster-api.ts';
import { jsonPatchProblems } from '../patch/json-patch.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import type { DecodedBody } from '../verbs/decode-object.ts';
import { BodySyntaxError, decodeYaml, readBody, unsupportedMediaType, wellFormed } from './read-body.ts';
import type { RequestScope } from './request-scope.ts';
import { JsonSyntaxError, scanJson } from './scan-json.ts';

const patchTypes: Readonly<Record<string, Patch['type']>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export interface ReadPatch {
  readonly type: Patch['type'];
  /** Reads the text once there is something to patch. */
  decode(request: Pick<WriteRequest, 'fieldValidation'>): DecodedBody;
}

export async function decodePatch(scope: RequestScope, resource: Resource): Promise<ReadPatch> {
  const contentType = (scope.req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const type = Object.hasOwn(patchTypes, contentType) ? patchTypes[contentType] : undefined;
  if (!type || (type === 'strategic' && resource.isCustom)) {
    throw unsupportedMediaType(Object.keys(patchTypes).filter(name => !(resource.isCustom && name.includes('strategic'))));
  }
  const text = (await readBody(scope.req)).toString('utf8');
  return {
    type,
    decode: ({ fieldValidation }) => (type === 'apply' ? decodeApply(text) : decodeText(type, text, fieldValidation === 'Ignore')),
  };
}

function decodeText(type: Exclude<Patch['type'], 'apply'>, text: string, isLenient: boolean): DecodedBody {
  try {
    const { duplicates } = scanJson(text);
    const value = wellFormed(parseJson(text), text);
    const repeated = duplicates.map(path => `duplicate field ${JSON.stringify(path)}`);
    return {
      value,
      problems: type === 'json' ? [...jsonPatchProblems(value), ...repeated.map(problem => `json patch ${problem}`)] : repeated,
    };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
    if (type === 'strategic') throw badRequest(error.message);
    if (!isLenient) throw badRequest(`error decoding patch: ${error.message}`);
    throw badRequest(type === 'merge' ? 'Invalid JSON Patch' : error.message);
  }
}

function decodeApply(text: string): DecodedBody {
  try {
    return decodeYaml(text);
  } catch (error) {
    if (!(error instanceof BodySyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}
