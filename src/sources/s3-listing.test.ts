import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPlainXml } from './read-plain-xml.ts';
import { readS3Page, s3ErrorCode } from './s3-listing.ts';

const page = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<s3:ListBucketResult xmlns:s3='urn:x'>${inner}</s3:ListBucketResult>\n`;

test('a page of a list', () => {
  const text = page(`
    <s3:IsTruncated>true</s3:IsTruncated> <s3:NextContinuationToken>a&amp;b</s3:NextContinuationToken><s3:Delimiter/>
    <s3:Contents><s3:Key>a &lt;b&gt;&#x20;&#99;.yaml</s3:Key><s3:ETag>&quot;e1&quot;</s3:ETag><s3:Size>12</s3:Size><s3:Owner><s3:ID>x</s3:ID></s3:Owner></s3:Contents>`);
  assert.deepEqual(readS3Page(text), { objects: [{ key: 'a <b> c.yaml', etag: 'e1', sizeBytes: 12 }], nextToken: 'a&b' });
  const encoded = page('<EncodingType>url</EncodingType><Contents><Key>a+b%2Bc/%C3%A9</Key><Size>0</Size></Contents>');
  assert.deepEqual(readS3Page(encoded), { objects: [{ key: 'a b+c/é', etag: '', sizeBytes: 0 }], nextToken: undefined });
  assert.equal(s3ErrorCode('<Error><Code>NoSuchBucket</Code></Error>'), 'NoSuchBucket');
  assert.equal(s3ErrorCode('<html><Code>NoSuchBucket</Code></html>'), undefined);
});

for (const [what, text] of Object.entries({
  'a document type': '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult/>',
  'an entity of its own': page('<Contents><Key>&b;</Key><Size>1</Size></Contents>'),
  'an entity that objects have': page('&constructor;'),
  'an entity without an end': page('&amp'),
  'a character that is none': page('&#xD800;'),
  'crossed elements': page('<a><b></a></b>'),
  'an element that does not end': '<ListBucketResult><a>',
  'two elements': '<ListBucketResult/><ListBucketResult/>',
  'text around it': '<ListBucketResult/>text',
  'elements too deep': page(`${'<a>'.repeat(50)}${'</a>'.repeat(50)}`),
  'something else': '<html></html>',
  'an object without a size': page('<Contents><Key>a</Key></Contents>'),
  'a size that is none': page('<Contents><Key>a</Key><Size>-1</Size></Contents>'),
  'a key that cannot be decoded': page('<EncodingType>url</EncodingType><Contents><Key>%FF</Key><Size>1</Size></Contents>'),
  'more pages that cannot be asked for': page('<IsTruncated>true</IsTruncated>'),
  nothing: '',
}))
  test(`a list with ${what} is refused`, () => {
    assert.throws(() => readS3Page(text));
  });

test('whatever is written can be read, and whatever is read is no surprise', () => {
  const escape = (text: string) => text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      assert.equal(readPlainXml(`<a b="c"><d>${escape(text)}</d></a>`).children[0]!.text, text);
    }),
  );
  const pieces = fc.constantFrom(
    '<a>',
    '</a>',
    '<b/>',
    '<',
    '>',
    '&',
    '&lt;',
    '&#',
    ';',
    '<!',
    '<?',
    '?>',
    '"',
    "'",
    '=',
    ' ',
    'a',
    '<a b="',
    ']]>',
    '--',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
      let text: string | undefined;
      try {
        text = JSON.stringify(readPlainXml(parts.join('')));
      } catch (error) {
        assert.equal((error as Error).constructor, Error);
      }
      assert.ok(text === undefined || text.startsWith('{"name":'));
    }),
    { numRuns: 2000 },
  );
});
