import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeYaml } from '../yaml/write-yaml.ts';
import { entriesOf } from './chart-index.ts';

const index = `apiVersion: v1
entries:
  # what follows is not "web"
  web-api:
  - version: 9.9.9
    urls: [a]
  web:
  - apiVersion: v2
    description: |
      text that looks like a key:
      web-api:
    urls:
    - web-1.0.0.tgz
    version: 1.0.0
  - version: "0.9"
    urls:
    - https://elsewhere/web-0.9.tgz
    digest: sha256:abc
    dependencies:
    - name: web-api
      version: 1.x
  - version: 5
    urls: [wrong type]
  - version: 1.1.0
  "quoted":
    - version: 1.0.0
      urls:
        - q.tgz
generated: "2026-01-01T00:00:00Z"
`;
const versions = (text: string, chart: string) => entriesOf(text, chart)?.map(entry => entry.version);

test('what an index says about one chart is found', () => {
  assert.deepEqual(entriesOf(index, 'web'), [
    { version: '1.0.0', urls: ['web-1.0.0.tgz'], digest: '' },
    { version: '0.9', urls: ['https://elsewhere/web-0.9.tgz'], digest: 'sha256:abc' },
  ]);
  assert.deepEqual(versions(index, 'web-api'), ['9.9.9']);
  assert.deepEqual(versions(index, 'quoted'), ['1.0.0']);
  assert.equal(entriesOf(index, 'generated'), undefined);
  assert.equal(entriesOf(index, 'we'), undefined);
  assert.equal(entriesOf(index, '.*'), undefined);
});

test('ends of lines of Windows are ends of lines', () => {
  assert.deepEqual(versions(index.replaceAll('\n', '\r\n'), 'web'), ['1.0.0', '0.9']);
});

test('other forms are read whole', () => {
  const json = JSON.stringify({ entries: { web: [{ version: '1.0.0', urls: ['x'] }] } });
  assert.deepEqual(versions(json, 'web'), ['1.0.0']);
  assert.deepEqual(versions('entries: {web: [{version: 1.0.0, urls: [x]}]}', 'web'), ['1.0.0']);
  assert.deepEqual(versions('entries: {}', 'web'), undefined);
  assert.equal(entriesOf('apiVersion: v1\nentries:\n  web: []\n', 'web')?.length ?? 0, 0);
});

test('what is no index is said to be none', () => {
  for (const text of ['', '[]', 'x', '<html></html>', 'entries: 5', '{"entries": []}', '{', 'entries:\n  web:\n  - "\n'])
    assert.throws(() => entriesOf(text, 'web'), /index/, text);
});

test('the part about a chart says the same as the whole', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,6}$/);
  const entry = fc.record({
    version: fc.constantFrom('1.0.0', '2.0.0-rc.1'),
    urls: fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 }),
    description: fc.string(),
  });
  const entries = fc.dictionary(name, fc.array(entry, { minLength: 1, maxLength: 3 }), { maxKeys: 6, noNullPrototype: true });
  fc.assert(
    fc.property(entries, name, (entries, other) => {
      const whole = { apiVersion: 'v1', entries: JSON.parse(JSON.stringify(entries)) as never };
      const text = writeYaml(whole);
      for (const chart of [...Object.keys(entries), other])
        assert.deepEqual(entriesOf(text, chart), entriesOf(JSON.stringify(whole), chart));
    }),
    { numRuns: 200 },
  );
});

test('any text is read or refused', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      try {
        entriesOf(`entries:\n  web:\n${text}`, 'web');
      } catch (error) {
        assert.match(String(error), /index/);
      }
    }),
  );
});
