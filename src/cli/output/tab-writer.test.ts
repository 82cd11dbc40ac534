import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TabWriter } from './tab-writer.ts';

function written(...lines: string[]): string {
  const writer = new TabWriter();
  for (const line of lines) writer.line(line);
  return writer.flush();
}

test('columns are as wide as their widest cell and three spaces, and six at least', () => {
  assert.equal(written('NAME\tAGE', 'a-long-name\t5s', 'b\t10m'), 'NAME          AGE\na-long-name   5s\nb             10m\n');
  assert.equal(written('A\tB\tC', '1\t2\t3'), 'A     B     C\n1     2     3\n');
});

test('the last cell is not padded, an empty one before it is', () => {
  assert.equal(written('A\tB\t', 'x\t\tz'), 'A     B     \nx           z\n');
});

test('letters count, not bytes', () => {
  assert.equal(written('NAME\tX', 'élodie-😀\ty'), 'NAME       X\nélodie-😀   y\n');
});

test('a line without a column parts the lines before it from wider ones behind it', () => {
  assert.equal(written('x\ty', 'no cells', 'long-first-cell\tb'), 'x     y\nno cells\nlong-first-cell   b\n');
  assert.equal(written('long-first-cell\tb', 'no cells', 'x\ty'), 'long-first-cell   b\nno cells\nx                 y\n');
});

test('later lines keep the widths of those that are out already', () => {
  const writer = new TabWriter();
  writer.line('a-long-name\t1');
  assert.equal(writer.flush(), 'a-long-name   1\n');
  writer.line('b\t2');
  assert.equal(writer.flush(), 'b             2\n');
  writer.forget();
  writer.line('b\t2');
  assert.equal(writer.flush(), 'b     2\n');
});

test('cells of a column begin at the same place, and no cell is changed', () => {
  const cell = fc.stringMatching(/^[a-z]{0,12}$/);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }).chain(n => fc.array(fc.array(cell, { minLength: n, maxLength: n }), { minLength: 1 })),
      rows => {
        const lines = written(...rows.map(row => row.join('\t')))
          .split('\n')
          .slice(0, -1);
        const widths = rows[0]!.slice(0, -1).map((_, column) => Math.max(6, ...rows.map(row => row[column]!.length + 3)));
        lines.forEach((line, i) => {
          let at = 0;
          rows[i]!.forEach((text, column) => {
            const isLast = column === rows[i]!.length - 1;
            assert.equal(line.slice(at, isLast ? undefined : at + widths[column]!), isLast ? text : text.padEnd(widths[column]!));
            at += widths[column] ?? 0;
          });
        });
      },
    ),
  );
});
