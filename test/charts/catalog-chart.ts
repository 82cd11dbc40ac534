import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { writeArchive } from '../../src/render/write-archive.ts';
import { chartFolder, downloadModule } from './go-module.ts';

/** Where the real chart is, and what the version that Go's proxy does not serve would have different. */
interface Upstream {
  readonly module: string;
  readonly version: string;
  readonly chart: string;
  edit?(file: string, text: string, wanted: string): string;
  /** Files that are put into the chart only when it is released. */
  released?(moduleDir: string): Record<string, string>;
}

const upstreams: Readonly<Record<string, Upstream>> = {
  // Of its charts only 4.11.0 is served: the others are that one, calling itself and its image otherwise.
  'ingress-nginx': {
    module: 'k8s.io/ingress-nginx',
    version: 'v0.0.0-20240708192948-52c50467d67d',
    chart: 'charts/ingress-nginx',
    edit: (file, text, wanted) => (file === 'values.yaml' && wanted !== '4.11.0' ? withImageTag(text, `v1${wanted.slice(1)}`) : text),
  },
  kyverno: { module: 'github.com/kyverno/kyverno', version: 'v1.12.5', chart: 'charts/kyverno' },
  'cert-manager': {
    module: 'github.com/cert-manager/cert-manager',
    version: 'v1.18.2',
    chart: 'deploy/charts/cert-manager',
    released: dir => ({ 'templates/crds.yaml': readTexts(path.join(dir, 'deploy/crds'), /\.yaml$/).join('---\n') }),
  },
  'postgres-operator': { module: 'github.com/zalando/postgres-operator', version: 'v1.14.0', chart: 'charts/postgres-operator' },
};

/**
 * A real chart as k0rdent's catalog has it, packed: inside another of the same name and version that does nothing itself. Values for it are under its
 * name.
 */
export function catalogChart(name: string, version: string): Buffer {
  const upstream = upstreams[name];
  if (!upstream) throw new Error(`no real chart "${name}" is known`);
  const dir = downloadModule(upstream);
  const folder = chartFolder(path.join(dir, upstream.chart));
  const files = new Map(Object.entries(upstream.released?.(dir) ?? {}));
  for (const file of filesUnder(folder)) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    files.set(file, upstream.edit?.(file, text, version) ?? text);
  }
  files.set('Chart.yaml', withVersion(files.get('Chart.yaml')!, version));
  const wrapper = `apiVersion: v2
name: ${name}
version: ${version}
appVersion: ${JSON.stringify(version)}
description: ${name} as the catalog has it
dependencies: [{ name: ${name}, version: ${version}, repository: "https://charts.example.com" }]
`;
  return writeArchive([
    { name: `${name}/Chart.yaml`, data: Buffer.from(wrapper) },
    ...[...files].map(([file, text]) => ({ name: `${name}/charts/${name}/${file}`, data: Buffer.from(text) })),
  ]);
}

/** What people read, and what the makers test with, is no part of a chart that is released. */
const isLeftOut = (file: string): boolean => /(^|\/)(ci|tests|changelog|__snapshot__)\/|(^|\/)(README|OWNERS)|\.gotmpl$/.test(file);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => !isLeftOut(file) && statSync(path.join(folder, file)).isFile())
    .sort();
}

const readTexts = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder)
    .filter(name => pattern.test(name))
    .map(name => readFileSync(path.join(folder, name), 'utf8'));

const withVersion = (chartYaml: string, version: string): string => chartYaml.replace(/^version: .*$/m, `version: ${version}`);

/** The digest would be that of the other image. */
function withImageTag(values: string, tag: string): string {
  return values.replace(/^ {4}tag: "v1\.11\.0"$/m, `    tag: "${tag}"`).replace(/^ {4}digest: sha256:.*$/m, '    digest: ""');
}
