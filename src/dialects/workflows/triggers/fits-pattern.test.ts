import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitsGlobs, fitsPattern } from './fits-pattern.ts';

const text = (...letters: string[]) => fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map(parts => parts.join(''));

test('a star stands for anything', () => {
  fc.assert(
    fc.property(
      text('a', 'b', '.', '\n'),
      text('a', 'b', '.', '*').filter(pattern => pattern !== ''),
      (one, pattern) => {
        const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
        assert.equal(fitsPattern(one, pattern), new RegExp(`^${source}$`, 's').test(one));
      },
    ),
    { numRuns: 2000 },
  );
});

test('paths fit globs as they do elsewhere', () => {
  const names = text('a', 'b', '.').filter(name => !['', '.', '..'].includes(name));
  const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
  const globNames = fc.oneof(
    fc.constant('**'),
    text('a', 'b', '*', '?', '{a,b}', '[ab]', '[!a]').filter(one => one !== '' && !one.includes('**')),
  );
  const globs = fc.array(globNames, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
  fc.assert(
    fc.property(paths, globs, (path, glob) => {
      // Whether a folder itself is meant by what is below it does not matter: events name files.
      fc.pre(!glob.endsWith('/**') || !posix.matchesGlob(path, glob.slice(0, -3)));
      assert.equal(fitsGlobs(path, [glob]), posix.matchesGlob(path, glob));
    }),
    { numRuns: 3000 },
  );
  assert.ok(!fitsGlobs('a', ['[z-a]']));
  for (const glob of ['*?a', '*[!b]a', '{*?a,b}'])
    assert.deepEqual([fitsGlobs('.a', [glob]), fitsGlobs('x.a', [glob])], [false, true], glob);
});

test('no pattern takes for ever', () => {
  const long = 'a'.repeat(4000);
  assert.ok(!fitsPattern(long, `${'*a'.repeat(100)}b`));
  assert.ok(!fitsGlobs(long, [`${'*a'.repeat(100)}b`]));
});
