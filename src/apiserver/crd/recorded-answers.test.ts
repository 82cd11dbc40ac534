import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { causeOf, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { cloneJson, type JsonObject } from '../../util/json.ts';
import type { WriteContext } from '../resource.ts';
import { customResourceDefinitionKind } from './custom-resource-definition.ts';
import { crdSpec } from './crd-object.ts';
import { resourcesOf, type CustomResource } from './custom-resources.ts';

interface Answer {
  code: number;
  causes?: [reason: string, field: string, message: string][];
  message?: string;
  spec?: JsonObject;
  warnings?: string[];
}

interface Recorded {
  name: string;
  crd: KubeObject;
  answer: Answer;
  instances?: { body: JsonObject; answer: Answer }[];
  updates?: { before: JsonObject; after: JsonObject; answer: Answer }[];
}

/** What a real kube-apiserver 1.36.3 answered. Where it goes over its maps in any order, so may we. */
const recorded = JSON.parse(readFileSync(new URL('recorded-answers.json', import.meta.url), 'utf8')) as Recorded[];
const ctx = { warn: () => undefined } as unknown as WriteContext;

function answerOf(run: () => FieldError[], success: number): Answer {
  try {
    const errors = run();
    if (errors.length === 0) return { code: success };
    return { code: 422, causes: errors.map(causeOf).map(({ reason, field, message }) => [reason!, field!, message!]) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function assertSame(mine: Answer, real: Answer, what: string): void {
  const lines = ({ causes = [] }: Answer): string[] => causes.map(cause => cause.join(' | ')).sort();
  assert.deepEqual(lines(mine), lines(real), what);
  assert.equal(mine.code, real.code, what);
  if (real.code === 400) assert.equal(mine.message, real.message, what);
}

function define(crd: KubeObject): Answer {
  const { setDefaults, strategy } = customResourceDefinitionKind;
  return answerOf(() => {
    setDefaults?.(crd);
    strategy.prepareForCreate?.(crd, ctx);
    return strategy.validate?.(crd, ctx) ?? [];
  }, 201);
}

const objectOf = ({ kind }: CustomResource, body: JsonObject): KubeObject => {
  const metadata = { name: 'x', namespace: 'default', ...(body['metadata'] as object | undefined) };
  return { apiVersion: 'ex.io/v1', kind, ...cloneJson(body), metadata } as unknown as KubeObject;
};

function decode(resource: CustomResource, body: JsonObject, problems: string[] = []): KubeObject {
  const obj = resource.codec.shape(objectOf(resource, body), problems);
  resource.codec.setDefaults(obj);
  return obj;
}

for (const { name, crd, answer, instances = [], updates = [] } of recorded) {
  test(`a definition is answered as by the real server: ${name}`, () => {
    assertSame(define(cloneJson(crd)), answer, name);
  });

  if (instances.length + updates.length === 0) continue;
  test(`instances are answered as by the real server: ${name}`, () => {
    const defined = cloneJson(crd);
    define(defined);
    const [resource] = resourcesOf(defined);
    assert.ok(resource);
    for (const { body, answer: real } of instances) {
      const what = JSON.stringify(body);
      const problems: string[] = [];
      let obj: KubeObject | undefined;
      const mine = answerOf(() => {
        obj = decode(resource, body, problems);
        resource.strategy.prepareForCreate?.(obj, ctx);
        return resource.strategy.validate?.(obj, ctx) ?? [];
      }, 201);
      assertSame(mine, real, what);
      if (real.spec) assert.deepEqual(obj?.['spec'], real.spec, what);
      assert.deepEqual(problems.toSorted(), (real.warnings ?? []).toSorted(), what);
    }
    for (const { before, after, answer: real } of updates) {
      const old = decode(resource, before);
      const mine = answerOf(() => resource.strategy.validateUpdate?.(decode(resource, after), old, ctx) ?? [], 200);
      assertSame(mine, real, JSON.stringify([before, after]));
    }
  });
}

test('a definition that was accepted stays accepted', () => {
  const good = cloneJson(recorded.find(({ name }) => name === 'good')!.crd);
  define(good);
  const next = cloneJson(good);
  crdSpec(next).names.shortNames = ['wd'];
  customResourceDefinitionKind.strategy.prepareForUpdate?.(next, good, ctx);
  assert.deepEqual(customResourceDefinitionKind.strategy.validateUpdate?.(next, good, ctx), []);
});
