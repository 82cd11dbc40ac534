import type { IncomingMessage, ServerResponse } from 'node:http';
import { Content, contentName } from '../api/content.ts';
import { StatusError, unauthorized } from '../api/status.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { forbiddenRequest } from '../auth/rbac.ts';
import { anonymous, type ResourceAttributes } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { readContent } from '../core/contents/read-content.ts';
import { listStoredCharts, type StoredChart } from '../core/contents/stored-charts.ts';
import { decodeEscapes } from '../util/decode-escapes.ts';
import type { JsonObject } from '../util/json.ts';
import { writeYaml } from '../yaml/write-yaml.ts';
import { sendPlainError } from './answer.ts';

export interface ChartRoutesDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly access: HubAccess;
}

export const chartsPrefix = '/charts/';

const timeoutMs = 60_000;

/**
 * The chart store as a repository that Helm understands: `/charts/index.yaml` and `/charts/<name>-<version>.tgz`. Whoever may list and get Contents may read it; `helm`
 * sends user and password, and there the password is a token of the hub.
 */
export function chartRoutes({ hub, access }: ChartRoutesDeps) {
  return async function sendCharts(req: IncomingMessage, res: ServerResponse): Promise<void> {
    takeBasicForBearer(req);
    try {
      await answer(req, res);
    } catch (error) {
      if (error instanceof StatusError && error.code === 401) res.setHeader('WWW-Authenticate', 'Basic realm="drover"');
      sendPlainError(req, res, error);
    }
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const file = decodeEscapes((req.url ?? '').split('?', 1)[0]!.slice(chartsPrefix.length));
    const signal = AbortSignal.timeout(timeoutMs);
    if (file === 'index.yaml') {
      await authorize(req, { verb: 'list', name: '' });
      return send(req, res, 'application/yaml', Buffer.from(indexOf(await listStoredCharts(hub, { signal }))));
    }
    // Who may not even list learns nothing of what there is.
    await authorize(req, { verb: 'list', name: '' });
    const chart = (await listStoredCharts(hub, { signal })).find(one => fileOf(one) === file);
    if (!chart) throw new StatusError(404, 'NotFound', 'there is no such chart');
    await authorize(req, { verb: 'get', name: contentName(chart.digest) });
    send(req, res, 'application/gzip', await readContent(hub, chart.digest, { signal }));
  }

  async function authorize(req: IncomingMessage, { verb, name }: { verb: string; name: string }): Promise<void> {
    const { group, version, resource } = Content;
    const wanted: ResourceAttributes = { isResource: true, verb, group, version, resource, subresource: '', namespace: '', name };
    const user = await access.identify(req, wanted);
    const { allowed, reason } = await access.authorize(user, wanted);
    if (allowed) return;
    throw user.name === anonymous.name ? unauthorized() : forbiddenRequest(user, wanted, reason);
  }
}

const fileOf = ({ name, version }: StoredChart): string => `${name}-${version}.tgz`;

function indexOf(charts: readonly StoredChart[]): string {
  const entries: Record<string, JsonObject[]> = {};
  for (const chart of charts.toReversed()) {
    const { name, version, appVersion, description, digest, pushedAt } = chart;
    (entries[name] ??= []).push({
      apiVersion: 'v2',
      name,
      version,
      ...(appVersion !== '' && { appVersion }),
      ...(description !== '' && { description }),
      ...(pushedAt !== '' && { created: pushedAt }),
      digest: digest.replace('sha256:', ''),
      urls: [encodeURIComponent(fileOf(chart))],
    });
  }
  return writeYaml({ apiVersion: 'v1', entries, generated: new Date().toISOString() });
}

/** The rules of the hub know bearers only. */
function takeBasicForBearer({ rawHeaders }: IncomingMessage): void {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'authorization') continue;
    const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(rawHeaders[i + 1]!.trim()) ?? [];
    if (encoded === undefined) continue;
    const pair = Buffer.from(encoded, 'base64').toString();
    rawHeaders[i + 1] = `Bearer ${pair.slice(pair.indexOf(':') + 1)}`;
  }
}

function send(req: IncomingMessage, res: ServerResponse, contentType: string, body: Buffer): void {
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
