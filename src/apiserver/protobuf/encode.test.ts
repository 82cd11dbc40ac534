import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiVersionOf } from '../../api/object.ts';
import { parseJson, type JsonObject } from '../../util/json.ts';
import { apiFixtures } from '../facts/api-fixtures.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf, encodeWatchEvent } from './encode.ts';
import { envelopePrefix, WireReader } from '../../util/protobuf-wire.ts';

const fixtures = apiFixtures('pb');
const skip = fixtures === undefined && 'go is not installed';

/** The message within an envelope. */
function contentOf(envelope: Buffer): Buffer {
  const reader = new WireReader(envelope, envelopePrefix.length);
  for (;;) {
    const tag = reader.tag();
    if (tag >>> 3 === 2) return Buffer.from(reader.base64(), 'base64');
    reader.skip(tag & 7);
  }
}

test('every JSON fixture of k8s.io/api is written as its protobuf sibling, byte by byte', { skip }, () => {
  for (const { file, gvk } of fixtures!) {
    const obj = parseJson(readFileSync(file.replace(/pb$/, 'json'), 'utf8')) as JsonObject;
    const expected = readFileSync(file);
    const type = { apiVersion: apiVersionOf(gvk), kind: gvk.kind };
    const found = encodeProtobuf({ ...obj, ...type });
    assert.deepEqual(decodeProtobuf(found).body, decodeProtobuf(expected, type).body, file);
    assert.ok(contentOf(found).equals(contentOf(expected)), `${file} has the same content in other bytes`);
  }
  assert.ok(fixtures!.length > 80);
});

test('what is read back is what was written, numbers at their limits included', () => {
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'ü', generation: 9007199254740993n, creationTimestamp: '2026-11-17T06:00:00Z', labels: { b: '', a: '🐑' } },
    spec: { priority: -2147483648, activeDeadlineSeconds: 0, containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] },
  };
  assert.deepEqual(decodeProtobuf(encodeProtobuf(pod)).body, pod);
});

test('kinds that are not built in have no such form', () => {
  assert.throws(() => encodeProtobuf({ apiVersion: 'ex.io/v1', kind: 'Widget', metadata: {} }), { code: 406 });
});

test('an event of a watch says its length first', () => {
  const frame = encodeWatchEvent('ADDED', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } });
  assert.equal(frame.readUInt32BE(0), frame.length - 4);
  assert.equal(frame.subarray(4, 11).toString('latin1'), '\n\x05ADDED');
});

test('what is read back is what was written, whatever its size', () => {
  const configMap = (size: number) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' }, data: { k: 'x'.repeat(size) } });
  // The writer begins with 1 KiB: every part is once the one that needs more.
  for (let size = 850; size < 1050; size++) {
    assert.deepEqual(decodeProtobuf(encodeProtobuf(configMap(size))).body, configMap(size));
    const frame = encodeWatchEvent('ADDED', configMap(size));
    assert.equal(frame.readUInt32BE(0), frame.length - 4);
  }
  const binary = fc.uint8Array({ maxLength: 5000 }).map(bytes => Buffer.from(bytes).toString('base64'));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), binary, { minKeys: 1, noNullPrototype: true }), binaryData => {
      const obj = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' }, binaryData };
      assert.deepEqual(decodeProtobuf(encodeProtobuf(obj)).body, obj);
    }),
  );
});
