import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startMemoryCluster } from '../../../../test/helpers/memory-cluster.ts';
import type { FieldError } from '../../../api/field-error.ts';
import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { StatusError, type StatusCause } from '../../../api/status.ts';
import type { UserInfo } from '../../../auth/user.ts';
import { cloneJson, type JsonObject } from '../../../util/json.ts';
import { structOfKind } from '../../facts/facts.ts';
import type { WriteContext } from '../../resource.ts';
import { shapeObject } from '../../schema/shape.ts';
import { validateObjectMeta } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { otherKinds } from '../kinds.ts';
import { mergePatch } from '../workloads/answer-test-support.ts';
import type { AnswerCase } from './answer-case.ts';
import { coreCases } from './core-cases.ts';
import { emptyCases } from './empty-cases.ts';
import { groupCases } from './group-cases.ts';

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'], uid: 'admin', extra: {} };

interface Recorded {
  old?: KubeObject;
  object?: KubeObject;
  causes?: StatusCause[];
  warnings?: string[];
}
interface Outcome {
  object?: KubeObject;
  errors: readonly StatusCause[];
  warnings: string[];
}

const recorded = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as Record<string, Recorded>;

function kindOf(c: AnswerCase): BuiltinKind {
  const kind = otherKinds[`${parseApiVersion(c.apiVersion).group}/${c.kind}`];
  assert.ok(kind);
  return kind;
}

function shapeOf({ apiVersion, kind }: AnswerCase, body: unknown): JsonObject {
  const struct = structOfKind({ ...parseApiVersion(apiVersion), kind });
  assert.ok(struct);
  return shapeObject(struct, JSON.parse(JSON.stringify(body)) as JsonObject, []);
}

function decoded(c: AnswerCase, body: unknown): KubeObject {
  const obj = shapeOf(c, body) as unknown as KubeObject;
  obj.apiVersion = c.apiVersion;
  obj.kind = c.kind;
  kindOf(c).setDefaults?.(obj);
  return obj;
}

const causes = (errors: readonly FieldError[]): StatusCause[] => errors.map(e => ({ reason: e.type, field: e.field, message: e.message }));

async function answer(c: AnswerCase, name: string, real: Recorded): Promise<Outcome> {
  const { strategy } = kindOf(c);
  using api = await startMemoryCluster({ namespaces: ['the-namespace'] });
  const resource = api.resourceOf(c);
  const isNamespaced = resource.namespaced;
  const subresource = c.subresource ?? '';
  const ctx: WriteContext = { api, resource, subresource, user: admin, now: new Date(), dryRun: false, warn: () => undefined };
  const metadata = { name, ...(c.body['metadata'] as object), ...(isNamespaced && { namespace: 'the-namespace' }) };
  try {
    if (c.update === undefined) {
      const obj = decoded(c, { ...c.body, metadata });
      strategy.prepareForCreate?.(obj, ctx);
      const errors = [
        ...validateObjectMeta(obj.metadata, { namespaced: isNamespaced, nameRule: strategy.nameRule }),
        ...(strategy.validate?.(obj, ctx) ?? []),
      ];
      return { object: obj, errors: causes(errors), warnings: errors.length > 0 ? [] : (strategy.warningsOnCreate?.(obj, ctx) ?? []) };
    }
    const old = decoded(c, real.old);
    const obj = decoded(c, mergePatch(cloneJson(real.old), c.update));
    if (subresource === 'status') strategy.prepareForStatusUpdate?.(obj, old, ctx);
    else strategy.prepareForUpdate?.(obj, old, ctx);
    const validate = subresource === 'status' ? strategy.validateStatusUpdate : strategy.validateUpdate;
    const errors = validate?.(obj, old, ctx) ?? [];
    return { object: obj, errors: causes(errors), warnings: errors.length > 0 ? [] : (strategy.warningsOnUpdate?.(obj, old, ctx) ?? []) };
  } catch (e) {
    if (e instanceof StatusError && e.details?.causes) return { errors: e.details.causes, warnings: [] };
    throw e;
  }
}

// Go walks through maps in no order, so errors are compared as sets.
const lines = (list: readonly StatusCause[]) =>
  [...new Set(list.map(({ reason, field = '', message }) => `${reason} ${field}: ${message}`))].sort();

/** What strategies decide; the rest is the work of the generic code. Times, addresses and ports differ from run to run. */
function visible(c: AnswerCase, obj: KubeObject): unknown {
  const { labels, annotations } = obj.metadata;
  const text = JSON.stringify(shapeOf(c, { ...obj, metadata: { labels, annotations } }));
  return JSON.parse(
    text
      .replace(/"(last\w*Time)":"[^"]*"/g, '"$1":"t"')
      .replace(/"10\.0\.\d+\.\d+"/g, '"ip"')
      .replace(/"(nodePort|healthCheckNodePort)":\d+/g, '"$1":1'),
  );
}

for (const [n, c] of [...coreCases, ...groupCases, ...emptyCases].entries())
  test(`answers like the real server: ${c.name}`, async () => {
    const real = recorded[c.name];
    assert.ok(real);
    const ours = await answer(c, `x${n}`, real);
    assert.deepEqual(lines(ours.errors), lines(real.causes ?? []));
    assert.deepEqual(ours.warnings.toSorted(), (real.warnings ?? []).filter(text => !text.includes('is deprecated in v1.33+')).toSorted());
    if (real.object && ours.object) assert.deepEqual(visible(c, ours.object), visible(c, real.object));
  });
