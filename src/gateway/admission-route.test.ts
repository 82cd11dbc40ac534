import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../api/status.ts';
import { parseReview, reviewAnswer, type AdmissionReviewer } from '../core/admission/admission-review.ts';
import type { JsonObject } from '../util/json.ts';
import { admissionRoute, admissionToken, ownReviews } from './admission-route.ts';
import { sendError } from './answer.ts';

const token = admissionToken('key of the authority');

const reviewer: AdmissionReviewer = {
  mutate: async () => ({ patch: [{ op: 'add', path: '/spec/a', value: 1 }] }),
  validate: async ({ name }) =>
    name === 'good' ? {} : { refusal: new StatusError(403, 'Forbidden', 'not this one'), warnings: ['careful'] },
};

async function start(t: TestContext) {
  const route = admissionRoute({ token, reviewers: { k0rdent: reviewer } });
  const server = createServer((req, res) => void route(req, res).catch((error: unknown) => sendError(req, res, error)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise(resolve => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return async (path: string, body: unknown) => {
    const res = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: res.status, body: (await res.json()) as { response?: JsonObject } };
  };
}

const review = (name: string) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u', operation: 'CREATE', kind: { group: 'g', version: 'v1', kind: 'K' }, name, object: { metadata: { name } } },
});

test('a review is answered by the dialect it names', async t => {
  const ask = await start(t);
  const good = await ask(`/admission/k0rdent/validate/${token}?timeout=10s`, review('good'));
  assert.deepEqual(good.body.response, { uid: 'u', allowed: true });
  const bad = await ask(`/admission/k0rdent/validate/${token}`, review('bad'));
  assert.equal(bad.body.response?.['allowed'], false);
  assert.deepEqual(bad.body.response?.['warnings'], ['careful']);
  assert.equal((bad.body.response?.['status'] as JsonObject)['message'], 'not this one');
  const changed = await ask(`/admission/k0rdent/mutate/${token}`, review('good'));
  assert.equal(Buffer.from(String(changed.body.response?.['patch']), 'base64').toString(), '[{"op":"add","path":"/spec/a","value":1}]');
});

test('an API server in the same process is answered by the address it was told, and by no other', async () => {
  const at = ownReviews({ token, reviewers: { k0rdent: reviewer } }, 'https://127.0.0.1:7443');
  const answer = await at(`https://127.0.0.1:7443/admission/k0rdent/validate/${token}`)!(review('bad'), AbortSignal.timeout(1000));
  assert.equal((answer['response'] as JsonObject)['allowed'], false);
  for (const other of [
    `https://127.0.0.1:7444/admission/k0rdent/validate/${token}`,
    `https://127.0.0.1:7443/admission/k0rdent/validate/${token.replace(/./, 'x')}`,
    `https://127.0.0.1:7443/admission/constructor/validate/${token}`,
    `https://127.0.0.1:7443/admission/k0rdent/explode/${token}`,
    `https://127.0.0.1:7443/admission/k0rdent/validate/${token}/more`,
  ])
    assert.equal(at(other), undefined, other);
});

test('without the word nobody is answered, and what is no review is refused', async t => {
  const ask = await start(t);
  for (const path of [
    'k0rdent/validate/wrong',
    'k0rdent/validate/',
    `other/validate/${token}`,
    `k0rdent/toString/${token}`,
    `__proto__/validate/${token}`,
  ])
    assert.equal((await ask(`/admission/${path}`, review('good'))).status, 404, path);
  assert.equal((await ask(`/admission/k0rdent/validate/${token}`, { kind: 'AdmissionReview' })).status, 400);
  assert.equal((await ask(`/admission/k0rdent/validate/${token}`, [])).status, 400);
});

test('whatever comes is read or refused', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('uid', 'operation', 'kind', 'name', 'object', 'oldObject'), fc.jsonValue()), request => {
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request } as unknown as JsonObject;
      try {
        const parsed = parseReview(body);
        assert.equal((reviewAnswer(parsed, {})['response'] as JsonObject)['uid'], parsed.uid);
      } catch (error) {
        assert.ok(error instanceof StatusError && error.code === 400, String(error));
      }
    }),
  );
});
