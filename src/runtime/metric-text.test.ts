import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMetrics, labelValue } from './metric-text.ts';

test('samples stand below the description of their metric, those of a histogram too', () => {
  const text = describeMetrics(
    [
      { name: 'a_total', type: 'counter', help: 'As.' },
      { name: 'b_seconds', type: 'histogram', help: 'Bs.' },
    ],
    ['b_seconds_bucket{le="+Inf"} 1', 'a_total 2', 'b_seconds_sum 3', 'b_seconds_count 1', 'unknown 1'],
  );
  assert.equal(
    text,
    '# HELP a_total As.\n# TYPE a_total counter\na_total 2\n' +
      '# HELP b_seconds Bs.\n# TYPE b_seconds histogram\nb_seconds_bucket{le="+Inf"} 1\nb_seconds_sum 3\nb_seconds_count 1\n',
  );
});

test('whatever somebody calls a cluster stays within its quotes', () => {
  assert.equal(labelValue('a"b\\c\nd'), '"a\\"b\\\\c\\nd"');
});
