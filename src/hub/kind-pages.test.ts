import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { printInertPage } from '../api/inert-page.ts';
import { kindPageName, printKindPage } from '../api/kind-page.ts';
import { hubKinds } from './hub-kinds.ts';

const dir = path.join(import.meta.dirname, '../../docs/kinds');

test('every kind has its page, and no page is of yesterday', () => {
  assert.deepEqual(readdirSync(dir).sort(), hubKinds.map(kindPageName).sort());
  for (const kind of hubKinds) {
    const isFresh = readFileSync(path.join(dir, kindPageName(kind)), 'utf8') === printKindPage(kind);
    assert.ok(isFresh, `docs/kinds/${kindPageName(kind)} is not what the kind says: run "node scripts/generate-kind-pages.ts"`);
  }
});

test('the page about fields that are not acted upon is what the kinds say', () => {
  const isFresh = readFileSync(path.join(dir, '../guide/not-acted-upon.md'), 'utf8') === printInertPage(hubKinds);
  assert.ok(isFresh, 'docs/guide/not-acted-upon.md: run "node scripts/generate-kind-pages.ts"');
});
