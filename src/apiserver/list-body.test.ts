import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ListBody } from './list-body.ts';

const prefix = '{"kind":"K","apiVersion":"v1"';

test('a list is the same whatever the size of its pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.boolean())), fc.integer({ min: 1, max: 100 }), (items, chunkSize) => {
      const parts = items.map(([text, isStored]) => Buffer.from(`${isStored ? `${prefix},` : '{'}"x":${JSON.stringify(text)}}`));
      const whole = [Buffer.from('{"items":['), ...parts, Buffer.from(']}\n')];
      const body = new ListBody(
        whole,
        prefix.length,
        items.map(([, isStored]) => isStored),
      );
      const pieces: Buffer[] = [];
      for (;;) {
        const chunk = Buffer.alloc(chunkSize);
        const length = body.fill(chunk);
        if (length === 0) break;
        pieces.push(chunk.subarray(0, length));
      }
      const bytes = Buffer.concat(pieces);
      assert.equal(bytes.length, body.size);
      assert.deepEqual(JSON.parse(bytes.toString()), { items: items.map(([text]) => ({ x: text })) });
    }),
  );
});
