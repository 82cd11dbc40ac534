import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { componentsStatus } from './components.ts';
import { Release } from './kinds/management.ts';
import { ProviderTemplate } from './kinds/template.ts';

const release = newObject(
  Release,
  { name: 'r' },
  { version: '1.0.0', kcm: { template: 'kcm' }, capi: { template: 'capi' }, providers: [{ name: 'aws', template: 'aws-1' }] },
);
const spec = { helm: { chartSpec: { chart: 'c' } } };
const templates = new Map([
  [
    'aws-1',
    {
      ...newObject(ProviderTemplate, { name: 'aws-1' }, spec),
      status: { valid: true, providers: ['infrastructure-aws'], capiContracts: { v1beta1: 'v1beta2' } },
    },
  ],
  ['bad', { ...newObject(ProviderTemplate, { name: 'bad' }, spec), status: { valid: false, validationError: 'no chart' } }],
]);
const of = (...providers: { name: string; template?: string }[]) =>
  componentsStatus({ release: 'r', providers }, release, name => templates.get(name));

test('a Management without providers has the internal one', () =>
  assert.deepEqual(of(), { availableProviders: ['infrastructure-internal'] }));

test('a provider has the template of the Release, and what that exposes is available', () =>
  assert.deepEqual(of({ name: 'aws' }), {
    availableProviders: ['infrastructure-aws', 'infrastructure-internal'],
    capiContracts: { 'infrastructure-aws': { v1beta1: 'v1beta2' } },
    components: { aws: { template: 'aws-1', success: true, exposedProviders: ['infrastructure-aws'] } },
  }));

test('a provider whose template cannot be used exposes nothing and says why', () =>
  assert.deepEqual(of({ name: 'x', template: 'bad' }, { name: 'y', template: 'gone' }, { name: 'z' }), {
    availableProviders: ['infrastructure-internal'],
    components: {
      x: { template: 'bad', success: false, error: 'ProviderTemplate bad is not valid: no chart' },
      y: { template: 'gone', success: false, error: 'ProviderTemplate gone not found' },
      z: { success: false, error: 'neither the provider nor the Release names a ProviderTemplate' },
    },
  }));
