import { createHash } from 'node:crypto';
import type { KindRef } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import type { DeliveryOptions } from '../../src/api/work.ts';
import type { Member } from '../../src/core/delivery/member.ts';
import type { ReleaseKey } from '../../src/core/releases/helm-release.ts';
import { readReleases } from '../../src/core/releases/read-releases.ts';
import type { ReleaseInput } from '../../src/core/releases/release-input.ts';
import { loadChart } from '../../src/render/chart/load-chart.ts';
import { chartBody, chartHead, joinRecord } from '../../src/render/helm/chart-record.ts';
import { manifestText, renderChart } from '../../src/render/helm/render-chart.ts';
import { toGoValue } from '../../src/render/go/to-go-value.ts';
import type { GoMap } from '../../src/render/go/go-value.ts';
import type { JsonObject } from '../../src/util/json.ts';

export const Job: KindRef = { group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', scope: 'Namespaced' };

export const clientOf = (kubeconfig: string): KubeClient =>
  httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));

/** Files of a chart by name; Chart.yaml is made up when it is missing. */
export type ChartFiles = Readonly<Record<string, string>>;

export const withChartYaml = (files: ChartFiles, version = '1.0.0'): ChartFiles => ({
  'Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\nappVersion: "7"\n`,
  ...files,
});

export interface ChartInput {
  readonly files: ChartFiles;
  readonly release?: ReleaseKey;
  readonly values?: JsonObject;
  readonly options?: DeliveryOptions;
}

export const shop: ReleaseKey = { name: 'web', namespace: 'shop' };

/** A delivery of a chart that is given by its files, rendered in this thread. */
export function chartInput(member: Member, { files, release = shop, values = {}, options = {} }: ChartInput): ReleaseInput {
  const all = withChartYaml(files);
  const chart = loadChart(Object.entries(all).map(([name, text]) => ({ name, data: Buffer.from(text) })));
  return {
    release,
    values,
    options: { timeout: '60s', ...options },
    inputs: `sha256:${createHash('sha256')
      .update(JSON.stringify([all, values]))
      .digest('hex')}`,
    async render(facts, signal) {
      const capabilities = await member.kinds.capabilities(signal);
      const { manifests, hooks, definitions, notes } = renderChart(chart, toGoValue(values) as GoMap, {
        release: { ...release, ...facts },
        capabilities,
      });
      const { metadata, head } = chartHead(chart);
      const json = () => joinRecord(head, chartBody(chart));
      return { manifest: manifestText(manifests), hooks, definitions, notes, chart: { metadata, json } };
    },
  };
}

/** The revisions of a release in short: `1 superseded`, `2 deployed`. */
export async function historyOf(member: Member, key: ReleaseKey = shop): Promise<string[]> {
  const records = await readReleases(member, key, { signal: AbortSignal.timeout(30_000) });
  return records.map(({ release }) => `${release.revision} ${release.status}`);
}

export const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  annotations: Readonly<Record<string, string>> = {},
): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data });

/** A Job that ends at once; with `fails`, badly. Sandboxes do as the annotation says. */
export function hookJob(
  name: string,
  hook: string,
  options: { weight?: number; policy?: string; fails?: boolean; ttl?: number } = {},
): string {
  const { weight, policy, fails = false, ttl } = options;
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      annotations: {
        'helm.sh/hook': hook,
        ...(weight !== undefined && { 'helm.sh/hook-weight': String(weight) }),
        ...(policy !== undefined && { 'helm.sh/hook-delete-policy': policy }),
      },
    },
    spec: {
      backoffLimit: 0,
      ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
      template: {
        metadata: { annotations: fails ? { 'sandbox.drover.io/exit-code': '1' } : {} },
        spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'busybox' }] },
      },
    },
  });
}
