import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../../api/status.ts';
import { errorText } from '../../util/error-text.ts';
import { explainRefusal } from './explain-refusal.ts';

const job = { group: 'batch', version: 'v1', kind: 'Job', namespace: 'shop', name: 'j' };

function invalid(cause: string): StatusError {
  const message = `Job.batch "j" is invalid: spec.template: ${cause}`;
  return new StatusError(422, 'Invalid', message, { causes: [{ reason: 'FieldValueInvalid', message: cause, field: 'spec.template' }] });
}

test('a value that the server repeats is left out when it is long, what it says of it is not', () => {
  const error = explainRefusal('apply', job, invalid(`Invalid value: {"Spec":${'"x",'.repeat(500)}}: field is immutable`));
  assert.equal(
    errorText(error),
    'cannot apply Job shop/j: spec.template cannot be changed once it is there: set spec.options.force to delete the object and create it anew: ' +
      'Job.batch "j" is invalid: spec.template: Invalid value: …: field is immutable',
  );
  assert.equal(error.isFinal, true);
});

test('a short value stays', () => {
  const error = explainRefusal('apply', job, invalid('Invalid value: "x": must be y'));
  assert.match(errorText(error), /Invalid value: "x": must be y$/);
});
