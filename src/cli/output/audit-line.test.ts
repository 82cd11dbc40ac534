import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { auditLine } from './audit-line.ts';

const event = {
  requestReceivedTimestamp: '2026-11-16T17:00:00.123000Z',
  user: { username: 'u-abcde' },
  verb: 'delete',
  objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'shop', name: 'web' },
  responseStatus: { code: 200 },
  annotations: { 'drover.io/cluster': 'east', 'drover.io/login-name': 'jane' },
};
const shown = (more: object = {}) => auditLine(JSON.stringify({ ...event, ...more })).split(/ {2,}/);

test('an event is when, who, where, what and how it ended', () => {
  assert.deepEqual(shown(), ['2026-11-16T17:00:00Z', 'jane', 'east', 'delete', '200', 'shop: deployments.apps/web']);
  assert.equal(shown({ impersonatedUser: { username: 'joe' } })[1], 'jane as joe');
  assert.deepEqual(shown({ annotations: undefined }).slice(1, 3), ['u-abcde', 'local']);
  const made = { annotations: { 'drover.io/created': 'user/u-abcde' }, objectRef: undefined, requestURI: '/v3/users' };
  assert.equal(shown(made)[5], '/v3/users (made user/u-abcde)');
});

test('what others chose never commands the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const line = auditLine(JSON.stringify({ ...event, user: { username: text }, objectRef: { resource: text, name: text }, verb: text }));
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e]/);
      assert.doesNotMatch(auditLine(text), /[\u0000-\u001f\u007f-\u009f\u202e]/);
    }),
  );
});
