import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeTar } from '../../scripts/image/tar.ts';
import { readChartFolder } from '../../src/render/chart/read-chart-folder.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { chartModules, downloadModule } from '../../test/charts/go-module.ts';

/** A real chart, and the value in which one cluster differs from the next. */
interface BenchChart {
  readonly name: string;
  readonly module: string;
  readonly chart: string;
  valuesOf(cluster: string): JsonObject;
}

const charts: readonly BenchChart[] = [
  {
    name: 'kyverno',
    module: 'github.com/kyverno/kyverno',
    chart: 'charts/kyverno',
    valuesOf: name => ({ customLabels: { cluster: name } }),
  },
  {
    name: 'ingress-nginx',
    module: 'k8s.io/ingress-nginx',
    chart: 'charts/ingress-nginx',
    valuesOf: name => ({ controller: { podLabels: { cluster: name } } }),
  },
  {
    name: 'postgres-operator',
    module: 'github.com/zalando/postgres-operator',
    chart: 'charts/postgres-operator',
    valuesOf: name => ({ podAnnotations: { cluster: name } }),
  },
  {
    name: 'istio-discovery',
    module: 'istio.io/istio',
    chart: 'manifests/charts/istio-control/istio-discovery',
    valuesOf: name => ({ global: { multiCluster: { clusterName: name } } }),
  },
  {
    name: 'cilium',
    module: 'github.com/cilium/cilium',
    chart: 'install/kubernetes/cilium',
    // Its certificates would be made anew each time, at the same cost for both.
    valuesOf: name => ({ cluster: { name }, hubble: { enabled: false } }),
  },
  {
    name: 'external-dns',
    module: 'sigs.k8s.io/external-dns',
    chart: 'charts/external-dns',
    valuesOf: name => ({ txtOwnerId: name }),
  },
  {
    name: 'descheduler',
    module: 'sigs.k8s.io/descheduler',
    chart: 'charts/descheduler',
    valuesOf: name => ({ commonLabels: { cluster: name } }),
  },
  {
    name: 'metrics-server',
    module: 'sigs.k8s.io/metrics-server',
    chart: 'charts/metrics-server',
    valuesOf: name => ({ commonLabels: { cluster: name } }),
  },
  {
    name: 'gatekeeper',
    module: 'github.com/open-policy-agent/gatekeeper/v3',
    chart: 'charts/gatekeeper',
    valuesOf: name => ({ podLabels: { cluster: name } }),
  },
  {
    name: 'sealed-secrets',
    module: 'github.com/bitnami-labs/sealed-secrets',
    chart: 'helm/sealed-secrets',
    valuesOf: name => ({ commonLabels: { cluster: name } }),
  },
];

export interface PackedChart {
  readonly name: string;
  /** The chart as `helm package` would pack it. */
  readonly bytes: Buffer;
  valuesOf(cluster: string): JsonObject;
}

/** The charts of the benchmark, from Go modules at the versions that the tests use. */
export function packedCharts(focus: RegExp): PackedChart[] {
  return charts
    .filter(({ name }) => focus.test(name))
    .map(({ name, module, chart, valuesOf }) => {
      const pinned = chartModules().find(one => one.module === module);
      if (!pinned) throw new Error(`no module "${module}" among the charts of the tests`);
      const files = readChartFolder(path.join(downloadModule(pinned), chart));
      const entries = files.map(file => ({ path: `${name}/${file.name}`, type: 'file' as const, data: file.data }));
      return { name, bytes: gzipSync(writeTar(entries)), valuesOf };
    });
}
