import { createServer, type Server } from 'node:https';
import { TestCa } from '../helpers/certificates.ts';

interface Review {
  request: Record<string, unknown> & { uid: string };
}

/**
 * Admission and conversion webhooks for both servers. The path is `/<side>/<case>/<behaviour>`; every review is kept, so that what the two servers ask can be
 * compared as well as what they make of the answers.
 */
export class WebhookServer implements AsyncDisposable {
  readonly url: string;
  readonly ca: string;
  readonly #server: Server;
  readonly #reviews = new Map<string, unknown[]>();

  private constructor(url: string, ca: string, server: Server, reviews: Map<string, unknown[]>) {
    this.url = url;
    this.ca = ca;
    this.#server = server;
    this.#reviews = reviews;
  }

  static async start(): Promise<WebhookServer> {
    const ca = await TestCa.create('conformance-webhooks');
    const pair = await ca.issue('webhook', { dnsNames: ['localhost'], ips: ['127.0.0.1'] });
    const reviews = new Map<string, unknown[]>();
    const server = createServer({ cert: pair.certificate, key: pair.key }, (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const [pathname = ''] = (req.url ?? '').split('?');
        const [, side = '', id = '', behaviour = ''] = pathname.split('/');
        const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
        const log = reviews.get(`${side}/${id}`) ?? [];
        reviews.set(`${side}/${id}`, log);
        log.push({ behaviour, query: (req.url ?? '').split('?')[1] ?? '', userAgent: req.headers['user-agent'], review });
        const { status, body } = respond(behaviour, review);
        res.writeHead(status, { 'Content-Type': 'application/json' });
        res.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return new WebhookServer(`https://127.0.0.1:${port}`, ca.certificate, server, reviews);
  }

  reviews(side: string, id: string): unknown[] {
    return this.#reviews.get(`${side}/${id}`) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

function respond(behaviour: string, { request }: Review): { status: number; body: unknown } {
  const admission = (response: object): { status: number; body: unknown } => ({
    status: 200,
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...response } },
  });
  const patched = (operations: unknown): { status: number; body: unknown } =>
    admission({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') });

  switch (behaviour) {
    case 'allow':
      return admission({ allowed: true });
    case 'warn':
      return admission({ allowed: true, warnings: ['first warning', 'second "quoted" warning'], auditAnnotations: { seen: 'yes' } });
    case 'deny':
      return admission({ allowed: false, status: { message: 'no such thing here' } });
    case 'deny-bare':
      return admission({ allowed: false });
    case 'deny-coded':
      return admission({
        allowed: false,
        status: {
          code: 418,
          reason: 'Teapot',
          message: 'short and stout',
          details: { causes: [{ reason: 'Spout', message: 'hot', field: 'spec' }] },
        },
      });
    case 'label':
      return patched([{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
    case 'data':
      return patched([{ op: 'add', path: '/data/added', value: 'by-webhook' }]);
    case 'bad-patch':
      return patched([{ op: 'replace', path: '/nothing/here', value: 1 }]);
    case 'no-patch-type':
      return admission({ allowed: true, patch: Buffer.from('[]').toString('base64') });
    case 'bad-uid':
      return {
        status: 200,
        body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'other', allowed: true } },
      };
    case 'no-response':
      return { status: 200, body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } };
    case 'error':
      return { status: 500, body: 'broken' };
    case 'garbage':
      return { status: 200, body: 'not json' };
    case 'convert':
      return convert(request);
    case 'convert-fail':
      return conversion({ uid: request.uid, result: { status: 'Failed', message: 'cannot convert today' }, convertedObjects: [] });
    case 'convert-metadata':
      return convert(request, obj => ({ ...obj, metadata: { ...(obj['metadata'] as object), name: 'stolen' } }));
    default:
      return { status: 404, body: 'unknown behaviour' };
  }
}

function conversion(response: object): { status: number; body: unknown } {
  return { status: 200, body: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response } };
}

/** v1 calls the field `size`, v2 calls it `length`. */
function convert(
  request: Review['request'],
  change: (obj: Record<string, unknown>) => Record<string, unknown> = obj => obj,
): { status: number; body: unknown } {
  const wanted = String(request['desiredAPIVersion']);
  const objects = request['objects'] as Record<string, unknown>[];
  const converted = objects.map(obj => {
    const { size, length, ...rest } = (obj['spec'] ?? {}) as Record<string, unknown>;
    const value = size ?? length;
    const field = wanted.endsWith('/v2') ? 'length' : 'size';
    return change({ ...obj, apiVersion: wanted, spec: value === undefined ? rest : { ...rest, [field]: value } });
  });
  return conversion({ uid: request.uid, result: { status: 'Success' }, convertedObjects: converted });
}
