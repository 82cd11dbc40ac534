import { badRequest } from '../../api/status.ts';
import type { Patch } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';
import type { DecodedBody } from '../verbs/decode-object.ts';
import { decodeYaml, readBody, unsupportedMediaType } from './read-body.ts';
import type { RequestScope } from './request-scope.ts';
import { parseJson } from '../../util/json.ts';
import { JsonSyntaxError, scanJson } from './scan-json.ts';

const patchTypes: Readonly<Record<string, Patch['type']>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export async function decodePatch(scope: RequestScope, resource: Resource): Promise<{ type: Patch['type']; body: DecodedBody }> {
  const contentType = (scope.req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const type = patchTypes[contentType];
  if (!type || (type === 'strategic' && resource.isCustom)) {
    throw unsupportedMediaType(Object.keys(patchTypes).filter(name => !(resource.isCustom && name.includes('strategic'))));
  }
  const text = (await readBody(scope.req)).toString('utf8');
  if (type === 'apply') return { type, body: decodeApply(text) };
  try {
    const { duplicates } = scanJson(text);
    return {
      type,
      body: { value: parseJson(text), problems: type === 'json' ? [] : duplicates.map(path => `duplicate field ${JSON.stringify(path)}`) },
    };
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof SyntaxError || error instanceof RangeError)
      throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function decodeApply(text: string): DecodedBody {
  try {
    return decodeYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}
