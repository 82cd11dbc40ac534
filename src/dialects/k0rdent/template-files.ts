import { posix } from 'node:path';
import { contentTypes } from '../../api/content.ts';
import { parseManifests } from '../../core/delivery/read-manifests.ts';
import { readFolderArchive } from '../../render/archive.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { packChart, withoutIgnored } from '../../sources/pack-chart.ts';
import type { ContentFacts } from '../../core/contents/put-content.ts';

/** Bytes that are ready to be stored. */
export interface TemplateBytes extends ContentFacts {
  readonly bytes: Buffer;
}

type Files = ReadonlyMap<string, Buffer>;

/** The files below a folder of an archive, named from there. Throws when there is no such folder. */
function filesBelow(files: Files, path: string): Files {
  const folder = posix.normalize(`./${path}`).replace(/^\.\/|\/$/g, '');
  if (folder === '' || folder === '.') return files;
  const prefix = `${folder}/`;
  const found = new Map([...files].filter(([name]) => name.startsWith(prefix)).map(([name, data]) => [name.slice(prefix.length), data]));
  if (found.size === 0) throw new Error(`there is no folder "${path}" in the source`);
  return found;
}

/** All manifests of a folder as one text. A path may also name one file. */
export function manifestsIn(archive: Buffer, path: string): TemplateBytes {
  const all = readFolderArchive(archive);
  const file = posix.normalize(`./${path}`).replace(/^\.\//, '');
  const files = all.has(file) ? new Map([[file, all.get(file)!]]) : filesBelow(all, path);
  const texts = [...files]
    .filter(([name]) => /\.(ya?ml|json)$/i.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, data]) => data.toString());
  return manifestsOf(texts);
}

/** Texts of YAML documents as one. Throws when one of them is no manifest. */
export function manifestsOf(texts: readonly string[]): TemplateBytes {
  const text = texts.map(one => one.replace(/\n*$/, '\n')).join('---\n');
  if (parseManifests(text).length === 0) throw new Error('the source holds no manifests');
  return { bytes: Buffer.from(text), type: contentTypes.manifests };
}

const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Throws unless there is something to kustomize in the folder. */
export function checkKustomization(archive: Buffer, path: string): void {
  const files = filesBelow(readFolderArchive(archive), path);
  if (!kustomizationNames.some(name => files.has(name)))
    throw new Error(`there is no kustomization.yaml in ${path === '' ? 'the source' : `folder "${path}" of the source`}`);
}

/** A folder that somebody packed, in the one form that the same files always have. */
export function repackFolder(archive: Buffer): TemplateBytes {
  const ordered = [...readFolderArchive(archive)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, data]) => ({ name, data }));
  return { bytes: writeArchive(ordered), type: contentTypes.kustomization };
}

/** The chart in a folder. */
export function chartIn(archive: Buffer, path: string): TemplateBytes {
  const files = withoutIgnored(filesBelow(readFolderArchive(archive), path));
  const { bytes, name, version, appVersion, description } = packChart(files, path === '' ? 'the source' : path);
  const chart = {
    name,
    version,
    ...(appVersion !== '' && { appVersion }),
    ...(description !== '' && { description: description.slice(0, 1024) }),
  };
  return { bytes, type: contentTypes.chart, chart };
}
