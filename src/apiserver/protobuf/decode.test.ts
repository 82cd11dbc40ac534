import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiVersionOf } from '../../api/object.ts';
import { parseJson, type JsonObject } from '../../util/json.ts';
import { apiFixtures } from '../facts/api-fixtures.ts';
import { structOfKind } from '../facts/facts.ts';
import { shapeObject } from '../schema/shape.ts';
import { decodeProtobuf } from './decode.ts';
import { ProtobufError } from '../../util/protobuf-wire.ts';

const fixtures = apiFixtures('pb');
const skip = fixtures === undefined && 'go is not installed';

test('every protobuf fixture of k8s.io/api reads as its JSON sibling', { skip }, () => {
  for (const { file, gvk } of fixtures!) {
    const expected = parseJson(readFileSync(file.replace(/pb$/, 'json'), 'utf8')) as JsonObject;
    const { kind, body } = decodeProtobuf(readFileSync(file), { apiVersion: apiVersionOf(gvk), kind: gvk.kind });
    assert.equal(kind, gvk.kind, file);
    const shaped = shapeObject(structOfKind(gvk)!, body, []);
    assert.deepEqual(shaped, expected, file);
  }
  assert.ok(fixtures!.length > 80);
});

function varint(n: number): number[] {
  return n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)];
}
const lengthy = (number: number, content: Buffer) =>
  Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
const typeMeta = (apiVersion: string, kind: string) =>
  lengthy(1, Buffer.concat([lengthy(1, Buffer.from(apiVersion)), lengthy(2, Buffer.from(kind))]));

test('pointers keep their zero and are told from what is absent', () => {
  const spec = lengthy(2, Buffer.from([0x08, 0x00]));
  const body = Buffer.concat([Buffer.from('k8s\0'), typeMeta('apps/v1', 'Deployment'), lengthy(2, spec)]);
  assert.deepEqual(decodeProtobuf(body).body, { kind: 'Deployment', apiVersion: 'apps/v1', spec: { replicas: 0 } });
});

test('options are known in every group', () => {
  const body = Buffer.concat([Buffer.from('k8s\0'), typeMeta('apps/v1', 'DeleteOptions'), lengthy(2, Buffer.from([0x08, 0x05]))]);
  assert.deepEqual(decodeProtobuf(body).body, { kind: 'DeleteOptions', apiVersion: 'apps/v1', gracePeriodSeconds: 5 });
});

test('bodies without the prefix, and kinds that are not built in, are refused', () => {
  assert.throws(() => decodeProtobuf(Buffer.from('{}')), /expected prefix/);
  assert.throws(() => decodeProtobuf(Buffer.concat([Buffer.from('k8s\0'), typeMeta('ex.io/v1', 'Widget')])), /no kind "Widget"/);
});

test('nesting without end is refused', () => {
  // A definition's spec (2) has versions (7), each with a validation (4) around a schema (1), where `not` (28) holds another schema.
  let schema: Buffer = Buffer.alloc(0);
  for (let i = 0; i < 5000; i++) schema = lengthy(28, schema);
  const raw = lengthy(2, lengthy(7, lengthy(4, lengthy(1, schema))));
  const body = Buffer.concat([Buffer.from('k8s\0'), typeMeta('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), lengthy(2, raw)]);
  assert.throws(() => decodeProtobuf(body), /nested too deeply/);
});

test('hostile bytes give a clear error or an object, and never anything else', { skip }, () => {
  const pod = readFileSync(fixtures!.find(f => f.gvk.kind === 'Pod')!.file);
  const attempt = (bytes: Uint8Array) => {
    try {
      decodeProtobuf(bytes);
    } catch (error) {
      assert.ok(error instanceof ProtobufError, String(error));
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('Pod', 'Deployment', 'Event'), (noise, kind) =>
      attempt(
        Buffer.concat([
          Buffer.from('k8s\0'),
          typeMeta(kind === 'Deployment' ? 'apps/v1' : 'v1', kind),
          lengthy(2, Buffer.from(noise.slice(0, 120))),
        ]),
      ),
    ),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(pod.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(pod.length),
      (changes, cut) => {
        const bytes = Buffer.from(pod);
        for (const [at, value] of changes) bytes[at] = value;
        attempt(bytes);
        attempt(bytes.subarray(0, cut));
      },
    ),
    { numRuns: 300 },
  );
});
