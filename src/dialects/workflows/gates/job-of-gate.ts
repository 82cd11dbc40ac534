import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, type Json } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import type { Judging } from './judge.ts';

/** What is called by this belongs to one attempt of one gate. */
export const gateMark = ({ request }: Pick<Judging, 'request'>): string =>
  createHash('sha256').update(`${request.run.uid} ${request.place}`).digest('hex').slice(0, 12);

const maxNameLength = 50;

/** The Job of a gate with its expressions rendered. Each attempt has one of its own: a Job that has run cannot be run again. */
export function jobOfGate(judging: Judging, scope: ExpressionScope, namespace: string): KubeObject {
  const rendered = renderAll((judging.gate.manifest ?? {}) as Json, scope);
  const { metadata = {}, spec = {} } = (isJsonObject(rendered) ? rendered : {}) as { metadata?: KubeObject['metadata']; spec?: object };
  const name = `${(metadata.name ?? judging.gate.name).slice(0, maxNameLength)}-${gateMark(judging)}`
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-');
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { ...metadata, name, namespace: metadata.namespace ?? namespace }, spec };
}

function renderAll(value: Json, scope: ExpressionScope): Json {
  if (typeof value === 'string') return renderText(value, scope);
  if (Array.isArray(value)) return value.map(one => renderAll(one, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renderAll(one, scope)]));
}
