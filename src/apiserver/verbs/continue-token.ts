import path from 'node:path';
import { badRequest } from '../../api/status.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import { scanJson } from '../http/scan-json.ts';
import { goKind } from './body-type.ts';

/** Where a list goes on: after `start`, in the state of `revision`, or in the present one when that is -1. */
export interface ContinueToken {
  readonly revision: number;
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

export function decodeContinue(token: string): ContinueToken {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`);
  const illegal = illegalByteAt(token);
  if (illegal !== undefined) throw refuse(`: illegal base64 data at input byte ${illegal}`);
  const value = readToken(Buffer.from(token, 'base64url').toString('utf8'), why => refuse(`: ${why}`));
  if (value.v !== 'meta.k8s.io/v1') throw refuse(`: server does not recognize this encoded version ${value.v}`);
  if (value.rv === 0) throw refuse(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (value.start === '') throw refuse(': encoded start key empty (version meta.k8s.io/v1)');
  const key = value.start.startsWith('/') ? value.start : `/${value.start}`;
  if (path.posix.normalize(key) !== key || (key !== '/' && key.endsWith('/'))) throw refuse(`: ${value.start}`);
  return { revision: Math.max(-1, value.rv), start: key.slice(1) };
}

/** Where Go's decoder of unpadded base64 gives up. */
function illegalByteAt(token: string): number | undefined {
  const at = token.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}

function readToken(text: string, refuse: (why: string) => Error): { v: string; rv: number; start: string } {
  let value: Json;
  try {
    scanJson(text);
    value = parseJson(text);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (value !== null && !isJsonObject(value)) {
    throw refuse(`json: cannot unmarshal ${goKind(value)} into Go value of type storage.continueToken`);
  }
  const { v = '', rv = 0, start = '' } = value ?? {};
  for (const [name, given] of [
    ['v', v],
    ['start', start],
  ] as const) {
    if (typeof given !== 'string')
      throw refuse(`json: cannot unmarshal ${goKind(given)} into Go struct field continueToken.${name} of type string`);
  }
  if (typeof rv !== 'number' || !Number.isInteger(rv)) {
    throw refuse(
      `json: cannot unmarshal ${typeof rv === 'number' ? `number ${rv}` : goKind(rv)} into Go struct field continueToken.rv of type int64`,
    );
  }
  return { v: v as string, rv, start: start as string };
}
