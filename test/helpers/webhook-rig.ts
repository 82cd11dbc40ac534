import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { AdmissionReviewer } from '../../src/core/admission/admission-review.ts';
import type { WebhookAddress } from '../../src/core/admission/register-webhooks.ts';
import { admissionRoute } from '../../src/gateway/admission-route.ts';
import { sendError } from '../../src/gateway/answer.ts';
import { createAuthority, issueLeaf } from '../../src/pki/certificate-authority.ts';

const token = 'word';

/** Webhooks of dialects at an address of their own. */
export async function startWebhooks(t: TestContext, reviewers: Readonly<Record<string, AdmissionReviewer>>): Promise<WebhookAddress> {
  const route = admissionRoute({ token, reviewers });
  const authority = createAuthority('webhooks', new Date());
  const { certificate, key } = issueLeaf(authority, { commonName: 'hub', usage: 'server', hosts: ['127.0.0.1'], now: new Date() });
  const server = createServer({ cert: certificate, key }, (req, res) => {
    route(req, res).catch((error: unknown) => sendError(req, res, error));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, authorities: authority.certificate, token };
}
