import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseYaml } from 'yaml';
import { parseApiVersion } from '../../src/api/object.ts';
import { structOfKind } from '../../src/apiserver/facts/facts.ts';
import { decodeProtobuf } from '../../src/apiserver/protobuf/decode.ts';
import { shapeObject } from '../../src/apiserver/schema/shape.ts';
import { isJsonObject } from '../../src/util/json.ts';
import type { Answer, HttpTarget, EventStream, RequestHeaders } from '../helpers/http-target.ts';
import type { Case, RequestExtras, Step, UntilAllowedStep } from './case.ts';
import { normalise, type Outcome } from './normalise.ts';
import type { WebhookServer } from './webhook-server.ts';

export interface Side {
  readonly name: 'reference' | 'tested';
  readonly target: HttpTarget;
}

export interface CaseContext {
  readonly id: string;
  readonly side: Side;
  readonly webhooks: WebhookServer;
  /** A certificate request in PEM, the same for both sides. */
  readonly signingRequest: string;
}

const userAgent = 'conformance/1.0';
const quietMs = 150;
const patienceMs = 8000;
// The real namespace controller waits for five seconds before it looks a second time.
const longPatienceMs = 20_000;

/** Sends the steps of one case to one server and returns the normalised outcomes, one per step that is compared. */
export async function runCase(testCase: Case, context: CaseContext): Promise<Record<string, unknown>[]> {
  const run = new CaseRun(testCase, context);
  try {
    await run.prepare();
    for (const step of testCase.steps) await run.take(step);
    return run.results();
  } finally {
    await run.cleanUp();
  }
}

class CaseRun {
  readonly #case: Case;
  readonly #context: CaseContext;
  readonly #target: HttpTarget;
  readonly #values = new Map<string, string>();
  readonly #watches = new Map<string, EventStream>();
  readonly #outcomes: Outcome[] = [];
  readonly #created: string[] = [];

  constructor(testCase: Case, context: CaseContext) {
    const { id, side, webhooks } = context;
    this.#case = testCase;
    this.#context = context;
    this.#target = side.target;
    const base = `${webhooks.url}/${side.name}/${id}`;
    this.#values.set('id', id).set('ns', id).set('group', `${id}.example.com`);
    this.#values.set('signingRequest', Buffer.from(context.signingRequest).toString('base64'));
    this.#values.set('webhook', base).set('webhookCa', Buffer.from(webhooks.ca).toString('base64'));
  }

  async prepare(): Promise<void> {
    if (!JSON.stringify(this.#case.steps, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)).includes('{{ns}}')) return;
    const ns = this.#context.id;
    const made = await this.#target.request('POST', '/api/v1/namespaces', { metadata: { name: ns } });
    if (made.code !== 201) throw new Error(`cannot create namespace "${ns}": ${made.text}`);
    await this.#poll(`/api/v1/namespaces/${ns}/serviceaccounts/default`, (_, code) => code === 200);
    await this.#poll(`/api/v1/namespaces/${ns}/configmaps/kube-root-ca.crt`, (_, code) => code === 200);
  }

  async take(step: Step): Promise<void> {
    if (step.step === 'request') {
      const path = this.#fill(step.path);
      const answer = await this.#target.request(step.method, path, this.#body(step.body), this.#headers(step), {
        anonymous: step.anonymous === true,
      });
      if (answer.code === 201) this.#remember(path, answer);
      this.#capture(step, answer);
      this.#outcomes.push(outcomeOf(`${step.method} ${step.path}`.slice(0, 300), answer, step));
      return;
    }
    if (step.step === 'watch') {
      const [path, headers] = [this.#fill(step.path), this.#headers(step)];
      const open = step.protocols ? this.#target.socket(path, headers, step.protocols) : this.#target.stream(path, headers);
      this.#watches.set(step.name, await open);
      return;
    }
    if (step.step === 'until') return void (await this.#poll(this.#fill(step.path), step.isRight));
    if (step.step === 'untilAllowed') return await this.#untilAllowed(step);
    if (step.step === 'pause') return void (await sleep(step.ms));
    if (step.step === 'webhookLog') {
      const { webhooks, side, id } = this.#context;
      this.#outcomes.push({ title: 'webhook log', code: 0, headers: {}, body: webhooks.reviews(side.name, id) });
      return;
    }
    const stream = this.#watches.get(step.watch);
    if (!stream) throw new Error(`case "${this.#case.name}" has no watch "${step.watch}"`);
    const count = (): number => watchEvents(stream, step.bookmarks === true).length;
    const deadline = Date.now() + patienceMs;
    while (count() < step.count && !stream.isEnded && Date.now() < deadline) await sleep(10);
    await sleep(quietMs);
    const seen = watchEvents(stream, step.bookmarks === true);
    const body = step.sorted ? seen.toSorted((a, b) => eventKey(a).localeCompare(eventKey(b))) : seen;
    const { code, headers, isEnded, closeCode } = stream;
    const end = isEnded && closeCode !== undefined ? [{ closeCode }] : [];
    this.#outcomes.push({ title: `watch ${step.watch}`, code, headers: comparedHeaders(headers), body: [...body, ...end] });
  }

  results(): Record<string, unknown>[] {
    const { webhooks, side, id } = this.#context;
    const server = new URL(this.#target.credentials.server);
    return normalise(this.#outcomes, {
      nowMs: Date.now(),
      generatedPrefixes: generatedPrefixes(this.#case.steps),
      substitutions: [
        [`${webhooks.url}/${side.name}/${id}`, '<webhook>'],
        [server.host, '<host>'],
      ],
    });
  }

  /** Namespaces stay: emptying hundreds of them would cost more than the cases themselves. */
  async cleanUp(): Promise<void> {
    for (const stream of this.#watches.values()) stream.close();
    for (const path of this.#created.toReversed())
      await this.#target.request('DELETE', path, { propagationPolicy: 'Background', gracePeriodSeconds: 0 }).catch(() => undefined);
  }

  #remember(path: string, answer: Answer): void {
    const [bare = ''] = path.split('?');
    if (path.includes('dryRun') || /\/namespaces\/[^/]+\/./.test(bare) || !answer.text.startsWith('{')) return;
    const { metadata } = answer.json<{ metadata?: { name?: string; uid?: string } }>();
    if (metadata?.name && metadata.uid)
      this.#created.push(bare.endsWith(`/${metadata.name}`) ? bare : `${bare.replace(/\/$/, '')}/${metadata.name}`);
  }

  #capture({ capture = {} }: RequestExtras, answer: Answer): void {
    for (const [name, path] of Object.entries(capture)) {
      const header = /^header:(.*)$/.exec(path)?.[1];
      const value = header ? answer.headers[header]?.[0] : pick(parseBody(answer), path);
      this.#values.set(name, value === undefined ? `<no ${name}>` : String(value));
    }
  }

  #headers({ headers = {}, as, groups = [] }: RequestExtras): RequestHeaders {
    const filled: Record<string, string | string[]> = { 'User-Agent': userAgent };
    for (const [name, value] of Object.entries(headers))
      filled[name] = typeof value === 'string' ? this.#fill(value) : value.map(v => this.#fill(v));
    if (this.#case.impersonated && as === undefined) {
      filled['Impersonate-User'] = 'conformance-admin';
      filled['Impersonate-Group'] = ['system:masters'];
    }
    if (as !== undefined) filled['Impersonate-User'] = this.#fill(as);
    if (groups.length > 0) filled['Impersonate-Group'] = [...groups];
    return filled;
  }

  #body(body: unknown): string | Buffer | object | undefined {
    if (body === undefined || Buffer.isBuffer(body)) return body;
    if (typeof body === 'string') return this.#fill(body);
    return this.#fillAll(body) as object;
  }

  #fill(text: string): string {
    if (!text.includes('{{')) return text;
    return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => this.#values.get(name) ?? whole);
  }

  #fillAll(value: unknown): unknown {
    if (typeof value === 'string') return this.#fill(value);
    if (Array.isArray(value)) return value.map(item => this.#fillAll(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [this.#fill(key), this.#fillAll(v)]));
  }

  async #untilAllowed({ user, verb, resource, group }: UntilAllowedStep): Promise<void> {
    const [plural = '', name = ''] = resource.split('/');
    const resourceAttributes = { namespace: this.#context.id, verb, resource: plural, name, group };
    const deadline = Date.now() + longPatienceMs;
    for (;;) {
      const answer = await this.#target.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: this.#fill(user), resourceAttributes },
      });
      if (answer.text.includes('"allowed":true')) return;
      if (Date.now() > deadline) throw new Error(`"${user}" did not get "${verb}" on "${resource}": ${answer.text}`);
      await sleep(20);
    }
  }

  async #poll(path: string, isRight: (body: Record<string, never>, code: number) => boolean): Promise<void> {
    const deadline = Date.now() + longPatienceMs;
    for (;;) {
      const answer = await this.#target.request('GET', path);
      const body = parseBody(answer);
      if (isRight((isJsonObject(body) ? body : {}) as Record<string, never>, answer.code)) return;
      if (Date.now() > deadline) throw new Error(`"${path}" did not become right: ${answer.code} ${answer.text.slice(0, 1500)}`);
      await sleep(20);
    }
  }
}

function generatedPrefixes(steps: readonly Step[]): string[] {
  const found = new Set<string>();
  JSON.stringify(steps, (key, value: unknown) => {
    if (key === 'generateName' && typeof value === 'string' && value !== '') found.add(value);
    return typeof value === 'bigint' ? String(value) : value;
  });
  return [...found];
}

const comparedHeaderNames = ['content-type', 'warning', 'retry-after', 'cache-control', 'vary', 'www-authenticate', 'location', 'allow'];

function comparedHeaders(headers: Answer['headers']): Record<string, unknown> {
  const compared: Record<string, unknown> = {};
  for (const name of comparedHeaderNames) if (headers[name]) compared[name] = headers[name];
  compared['has audit-id'] = headers['audit-id'] !== undefined;
  if (headers['etag']) compared['has etag'] = true;
  return compared;
}

function outcomeOf(title: string, answer: Answer, { codeOnly, keep, ignore }: RequestExtras): Outcome {
  if (codeOnly) return { title, code: answer.code, headers: {}, body: '<not compared>' };
  const body = keep ? keepItems(parseBody(answer), keep) : parseBody(answer);
  return { title, code: answer.code, headers: comparedHeaders(answer.headers), body, ...(ignore ? { ignore } : {}) };
}

function keepItems(body: unknown, keep: (item: Record<string, unknown>) => boolean): unknown {
  if (!isJsonObject(body)) return body;
  const result: Record<string, unknown> = { ...body };
  for (const key of ['items', 'groups', 'resources', 'rows']) {
    const list = result[key];
    if (Array.isArray(list)) result[key] = list.filter(item => isJsonObject(item) && keep(item));
  }
  if (isJsonObject(result['metadata'])) result['metadata'] = { ...result['metadata'], remainingItemCount: '<not compared>' };
  return result;
}

/** Numbers that are not plain integers are kept as text: a client sees the difference between 1 and 1.0. */
function parseBody(answer: Answer): unknown {
  const type = answer.headers['content-type']?.[0] ?? '';
  if (type.includes('yaml')) return parseYaml(answer.text) as unknown;
  if (type === 'application/vnd.kubernetes.protobuf') return readProtobuf(answer.body);
  if (!/^\s*[{[]/.test(answer.text)) return answer.text;
  try {
    return parseExactly(answer.text);
  } catch {
    return answer.text;
  }
}

/** As the same object reads in JSON: protobuf of the real server spells zeros out. */
function readProtobuf(bytes: Buffer): unknown {
  const { apiVersion, kind, body } = decodeProtobuf(bytes);
  return shapeObject(structOfKind({ ...parseApiVersion(apiVersion), kind })!, body, []);
}

function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return Number.isSafeInteger(value) && String(value) === source ? value : `number ${source}`;
  }) as unknown;
}

function watchEvents(stream: EventStream, withBookmarks: boolean): Record<string, unknown>[] {
  return (
    stream.lines
      .filter(line => line !== '')
      .map(line => parseExactly(line) as Record<string, unknown>)
      .map(event => (event['type'] === 'BOOKMARK' ? withoutVersions(event) : event))
      // How often a bookmark is repeated is a matter of timing.
      .filter((event, i, all) => event['type'] !== 'BOOKMARK' || JSON.stringify(event) !== JSON.stringify(all[i - 1]))
      .filter(event => withBookmarks || event['type'] !== 'BOOKMARK' || JSON.stringify(event).includes('initial-events-end'))
  );
}

/** A bookmark carries the version of the whole store. */
function withoutVersions(event: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(event), (key, value: unknown) => (key === 'resourceVersion' ? '<bookmark version>' : value)) as Record<
    string,
    unknown
  >;
}

function eventKey(event: Record<string, unknown>): string {
  return `${event['type'] === 'BOOKMARK' ? 1 : 0} ${String(pick(event, 'object.metadata.namespace'))} ${String(pick(event, 'object.metadata.name'))}`;
}

function pick(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split('.')) {
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isJsonObject(current)) current = current[key];
    else return undefined;
  }
  return current;
}
