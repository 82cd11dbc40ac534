import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerWithOurs, snippetTables } from './snippet-tables.ts';

describe('snippets render as Helm renders them, errors included', () => {
  for (const [table, snippets] of snippetTables()) {
    test(table, () => {
      for (const { template, ...answer } of snippets) assert.deepEqual(answerWithOurs(template), answer, template);
    });
  }
});
