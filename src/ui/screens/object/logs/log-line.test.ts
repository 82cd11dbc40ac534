import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOf, linesWith, splitTime, visible, type LogLine } from './log-line.ts';

test('programs say in many ways how bad it is', () => {
  const said = {
    error: [
      '{"ts":1,"level":"error","msg":"no"}',
      'time=2026 level=error msg="x"',
      'E1117 12:00:00.000001       1 main.go:1] no',
      '2026-01-01 12:00:00,123 ERROR [main] no',
      '2026/01/01 12:00:00 [error] 1#1: no',
      'panic: runtime error',
      '{"severity":"CRITICAL"}',
    ],
    warning: ['W1117 12:00:00.000001 1 a.go:1] hm', 'level=warn x', '[Warning] hm', 'WARN hm'],
    info: ['I1117 12:00:00.000001 1 a.go:1] yes', 'level=info error=nil', '2026-01-01T00:00:00Z INFO started'],
    debug: ['level=debug a=b', '[TRACE] x'],
  };
  for (const [level, lines] of Object.entries(said)) for (const line of lines) assert.equal(levelOf(line), level, line);
  for (const line of ['', 'GET /errors 200', 'no errors found', 'information']) assert.equal(levelOf(line), undefined, line);
});

test('what is filtered by how bad it is keeps what is worse, and what is said about the container', () => {
  const line = (text: string, isNote = false): LogLine => ({ id: 0, at: '', pod: '', container: '', text, level: levelOf(text), isNote });
  const lines = [line('ERROR a'), line('WARN b'), line('INFO c'), line('d'), line('started again', true)];
  const texts = (words: string, level?: 'error' | 'warning') => linesWith(lines, { words, level }).map(one => one.text);
  assert.deepEqual(texts('', 'warning'), ['ERROR a', 'WARN b', 'started again']);
  assert.deepEqual(texts('', 'error'), ['ERROR a', 'started again']);
  assert.deepEqual(texts('info c'), ['INFO c']);
  assert.equal(linesWith(lines, { words: '', level: undefined }), lines);
});

test('times stand before lines, and what would be obeyed by a terminal is shown', () => {
  assert.deepEqual(splitTime('2026-11-17T12:00:00.123456789Z  a b'), { at: '2026-11-17T12:00:00.123456789Z', text: ' a b' });
  assert.deepEqual(splitTime('unable to read'), { at: '', text: 'unable to read' });
  assert.equal(visible('\x1b[31mred\x1b[0m\x07\tx\r'), 'red\\x07\tx');
  assert.equal(visible('a\rb'), 'a\\x0db');
  assert.match(visible('x'.repeat(50_000)), /^x{10000}… \(50.000 characters\)$/);
});
