/**
 * `node scripts/release.ts [--output DIR] [--registry HOST] [--platforms all] [--image] [--key FILE]`: everything that a release consists of, without a network: the npm package, the
 * chart, plain manifests, the kubectl plugin with its krew manifest, bills of materials, the list of images, checksums and provenance. With --platforms all the Node of other
 * platforms is fetched from the npm registry; --key signs the checksums.
 */
import { execFileSync } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readChartFolder } from '../src/render/chart/read-chart-folder.ts';
import { packChart } from '../src/sources/pack-chart.ts';
import { buildPackage, publishedManifest } from './build-package.ts';
import { billsOfMaterials } from './release/bills-of-materials.ts';
import { installManifests } from './release/install-manifests.ts';
import { krewManifest, pluginArchives } from './release/kubectl-plugin.ts';
import { provenance } from './release/provenance.ts';

const root = path.join(import.meta.dirname, '..');

export interface ReleaseOptions {
  readonly output: string;
  /** A registry of one's own, in front of the names of images. */
  readonly registry?: string | undefined;
  /** Whether the plugin is made for all platforms, or for this one. */
  readonly hasAllPlatforms?: boolean;
  readonly hasImage?: boolean;
  /** A private key as PEM. */
  readonly key?: string | undefined;
}

/** Writes the files of a release and answers their names, in order. */
export async function makeRelease({
  output,
  registry = '',
  hasAllPlatforms = false,
  hasImage = false,
  key,
}: ReleaseOptions): Promise<string[]> {
  const startedAt = new Date();
  const { version } = publishedManifest();
  rmSync(output, { recursive: true, force: true });
  for (const folder of ['npm', 'charts', 'install', 'plugin', 'sbom']) mkdirSync(path.join(output, folder), { recursive: true });
  const write = (name: string, data: string | Uint8Array) => writeFileSync(path.join(output, name), data);

  const staged = path.join(output, 'package');
  await buildPackage(staged);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', path.join(output, 'npm')], { cwd: staged });

  const chart = path.join(root, 'charts/drover');
  write(`charts/drover-${version}.tgz`, packChart(readChartFolder(chart), chart).bytes);
  for (const [name, text] of installManifests(registry)) write(`install/${name}`, text);
  for (const [name, text] of billsOfMaterials()) write(`sbom/${name}`, text);
  const image = `${registry === '' ? '' : `${registry}/`}drover/drover:${version}`;
  write('images.txt', `${image}\n`);

  const archives = pluginArchives({ staged, hasAllPlatforms });
  for (const { file, data } of archives) write(`plugin/${file}`, data);
  write('plugin/drover.yaml', krewManifest(version, archives));
  rmSync(staged, { recursive: true });
  if (hasImage) {
    const [{ droverImage }, { writeImage }] = await Promise.all([import('./image/drover-image.ts'), import('./image/oci-archive.ts')]);
    const ofWhat = hasAllPlatforms ? 'all' : process.arch;
    write(`drover-image-${ofWhat}.tar`, writeImage(droverImage(image, { forAllProcessors: hasAllPlatforms })).archive);
  }

  const subjects = filesOf(output).map(name => ({ name, sha256: checksum(path.join(output, name)) }));
  write('provenance.json', provenance(subjects, { startedAt, version }));
  const sums = [...subjects, { name: 'provenance.json', sha256: checksum(path.join(output, 'provenance.json')) }]
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('');
  write('SHA256SUMS', sums);
  // As "cosign verify-blob --key" and "openssl dgst -sha256 -verify" read it.
  if (key !== undefined) write('SHA256SUMS.sig', sign('sha256', Buffer.from(sums), readFileSync(key)).toString('base64'));
  return filesOf(output);
}

const checksum = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(dir, path.join(entry.parentPath, entry.name)))
    .toSorted();

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: path.join(root, 'dist/release') },
      registry: { type: 'string' },
      platforms: { type: 'string', default: 'own' },
      image: { type: 'boolean', default: false },
      key: { type: 'string' },
    },
  });
  const { output, registry, platforms, image, key } = values;
  const files = await makeRelease({ output: path.resolve(output), registry, hasAllPlatforms: platforms === 'all', hasImage: image, key });
  for (const file of files) console.log(path.join(output, file));
}
