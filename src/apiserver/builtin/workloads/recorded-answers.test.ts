import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { StatusCause } from '../../../api/status.ts';
import { cloneJson, type JsonObject } from '../../../util/json.ts';
import { structOfKind } from '../../facts/facts.ts';
import type { WriteContext } from '../../resource.ts';
import { shapeObject } from '../../schema/shape.ts';
import { validateObjectMeta } from '../../validation/object-meta.ts';
import { workloadKinds } from '../workloads.ts';
import { answerCases, type AnswerCase } from './answer-cases.ts';
import { mergePatch } from './answer-test-support.ts';
import {
  prepareEphemeralContainersUpdate,
  prepareResizeUpdate,
  validateEphemeralContainersUpdate,
  validateResize,
} from './pod-subresources.ts';

interface Recorded {
  old?: KubeObject;
  object?: KubeObject;
  code?: number;
  causes?: StatusCause[];
  warnings?: string[];
}

const recorded = JSON.parse(readFileSync(new URL('recorded-answers.json', import.meta.url), 'utf8')) as Record<string, Recorded>;
const groups: Record<string, string> = { Pod: '', ReplicationController: '', Job: 'batch', CronJob: 'batch' };

function contextOf(subresource: string, warnings: string[]): WriteContext {
  return { now: new Date(0), dryRun: false, subresource, warn: (text: string) => warnings.push(text) } as unknown as WriteContext;
}

interface Outcome {
  object: KubeObject;
  errors: FieldError[];
  warnings: string[];
}

function shaped(kind: string, body: unknown): KubeObject {
  const group = groups[kind] ?? 'apps';
  const struct = structOfKind({ group, version: 'v1', kind })!;
  const obj = shapeObject(struct, body as JsonObject, []) as unknown as KubeObject;
  obj.kind = kind;
  obj.apiVersion = group === '' ? 'v1' : `${group}/v1`;
  workloadKinds[`${group}/${kind}`]!.setDefaults?.(obj);
  return obj;
}

function create(c: AnswerCase, answer: Recorded, name: string): Outcome {
  const { strategy } = workloadKinds[`${groups[c.kind] ?? 'apps'}/${c.kind}`]!;
  const uid = answer.object?.metadata.uid ?? 'u';
  const obj = shaped(c.kind, { metadata: { ...c.metadata, name, namespace: 'default' }, spec: c.spec });
  obj.metadata.uid = uid;
  const warnings: string[] = [];
  const ctx = contextOf('', warnings);
  strategy.prepareForCreate?.(obj, ctx);
  const rules = { namespaced: true, nameRule: strategy.nameRule ?? 'subdomain' } as const;
  const errors = [...validateObjectMeta(obj.metadata, rules), ...(strategy.validate?.(obj, ctx) ?? [])];
  if (errors.length === 0) warnings.push(...(strategy.warningsOnCreate?.(obj, ctx) ?? []));
  return { object: obj, errors, warnings };
}

function update(c: AnswerCase, answer: Recorded): Outcome {
  const { strategy } = workloadKinds[`${groups[c.kind] ?? 'apps'}/${c.kind}`]!;
  const old = shaped(c.kind, answer.old);
  const obj = shaped(c.kind, mergePatch(cloneJson(answer.old), c.update));
  const warnings: string[] = [];
  const ctx = contextOf(c.subresource ?? '', warnings);
  let errors: FieldError[];
  switch (c.subresource) {
    case 'status':
      strategy.prepareForStatusUpdate?.(obj, old, ctx);
      errors = strategy.validateStatusUpdate?.(obj, old, ctx) ?? [];
      break;
    case 'ephemeralcontainers':
      prepareEphemeralContainersUpdate(obj, old);
      errors = validateEphemeralContainersUpdate(obj, old);
      break;
    case 'resize':
      prepareResizeUpdate(obj, old);
      errors = validateResize(obj, old);
      break;
    default:
      strategy.prepareForUpdate?.(obj, old, ctx);
      errors = strategy.validateUpdate?.(obj, old, ctx) ?? [];
  }
  if (errors.length === 0) warnings.push(...(strategy.warningsOnUpdate?.(obj, old, ctx) ?? []));
  return { object: obj, errors, warnings };
}

// Go walks through maps in no order, so errors are compared as sets. Uids of refused jobs are not known.
const uidPattern = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const lines = (causes: readonly { field?: string; message?: string; reason?: string }[]) =>
  [...new Set(causes.map(({ reason, field = '', message }) => `${reason} ${field}: ${message}`.replace(uidPattern, 'u')))].sort();

/** What strategies decide; the rest is the work of the generic code. */
function visible(obj: KubeObject, kind: string): unknown {
  const { labels, annotations } = obj.metadata;
  const copy = cloneJson({ labels, annotations, spec: obj['spec'], status: obj['status'] });
  const text = JSON.stringify(shapeAgain(kind, { metadata: { labels, annotations }, spec: copy.spec, status: copy.status }));
  return JSON.parse(text.replace(/"lastTransitionTime":"[^"]*"/g, '"lastTransitionTime":"t"'));
}

function shapeAgain(kind: string, body: unknown): JsonObject {
  return shapeObject(
    structOfKind({ group: groups[kind] ?? 'apps', version: 'v1', kind })!,
    JSON.parse(JSON.stringify(body)) as JsonObject,
    [],
  );
}

let n = 0;
for (const c of answerCases) {
  const name = (c.metadata?.['name'] as string | undefined) ?? `x${n++}`;
  test(`answers like the real server: ${c.name}`, () => {
    const answer = recorded[c.name]!;
    const outcome = c.update === undefined ? create(c, answer, name) : update(c, answer);
    const errors = outcome.errors.map(e => ({ reason: e.type, field: e.field, message: e.message }));
    assert.deepEqual(lines(errors), lines(answer.causes ?? []));
    assert.deepEqual(outcome.warnings.toSorted(), (answer.warnings ?? []).toSorted());
    if (answer.object) assert.deepEqual(visible(outcome.object, c.kind), visible(answer.object, c.kind));
  });
}
