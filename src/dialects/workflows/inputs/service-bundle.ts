import { LRUCache } from 'lru-cache';
import { posix } from 'node:path';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readContent } from '../../../core/contents/read-content.ts';
import { readFolderArchive } from '../../../render/archive.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import { SingleFlight } from '../../../sources/single-flight.ts';
import { readFileText, type FileText } from '../expressions/file-text.ts';
import { at, InputError, inputReasons } from './input-error.ts';
import { plainRoots, scopeRoots } from './run-scope.ts';
import type { ManifestSource, ServiceSnapshot } from './run-snapshot.ts';

export interface BundleFile {
  /** In its source. */
  readonly path: string;
  readonly file: FileText;
  /** Whether it is a template of Go. */
  readonly isTemplate: boolean;
}

/** What is rendered for each cluster, in the order of the service. */
export type BundlePart = { readonly files: readonly BundleFile[] } | { readonly chart: string };

/** What a service is made of, read and taken apart once for all clusters. */
export interface ServiceBundle {
  readonly parts: readonly BundlePart[];
  /** Later ones win. */
  readonly values: readonly FileText[];
}

export interface BundleDeps {
  readonly hub: KubeClient;
  readonly renderer: Pick<RenderPool, 'build'>;
}

const words = { roots: scopeRoots, alone: plainRoots };
const keptBytes = 64 * 1024 * 1024;

/** Reads bundles, and keeps those that were read lately. Throws InputError. */
export function bundleReader({ hub, renderer }: BundleDeps): (service: ServiceSnapshot, signal: AbortSignal) => Promise<ServiceBundle> {
  const kept = new LRUCache<string, ServiceBundle>({ maxSize: keptBytes, sizeCalculation: sizeOf });
  const flights = new SingleFlight<ServiceBundle>();
  return async (service, signal) => {
    const key = JSON.stringify([service.bundle, service.sources]);
    const known = kept.get(key);
    if (known) return known;
    return flights.run(key, signal, async stop => {
      const bundle = kept.get(key) ?? (await read(service, stop));
      kept.set(key, bundle);
      return bundle;
    });
  };

  async function read({ bundle, sources }: ServiceSnapshot, signal: AbortSignal): Promise<ServiceBundle> {
    const files = readFolderArchive(await readContent(hub, bundle, { signal }));
    const texts = [...files].map(([path, data]) => [path, data.toString('utf8')] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    const values = await Promise.all(
      texts.filter(([path]) => path.startsWith('values/')).map(([, text]) => at('values', () => readFileText(text, words))),
    );
    const parts = await Promise.all(sources.map(source => readPart(source, texts, signal)));
    return { parts, values };
  }

  async function readPart(source: ManifestSource, texts: readonly (readonly [string, string])[], signal: AbortSignal): Promise<BundlePart> {
    if (source.form === 'chart') return { chart: source.content };
    if (source.form === 'kustomization') {
      const archive = await readContent(hub, source.content, { signal });
      const text = await renderer.build({ archive, digest: source.content, path: source.path }, signal);
      // What it builds is no template, whatever it holds.
      return { files: [{ path: posix.join(source.path, 'kustomization.yaml'), file: readFileText(text, words), isTemplate: false }] };
    }
    const prefix = `${source.folder}/`;
    const own = texts.filter(([path]) => path.startsWith(prefix)).map(([path, text]) => [path.slice(prefix.length), text] as const);
    return { files: await Promise.all(own.map(([path, text]) => at(path, () => fileOf(path, text)))) };
  }
}

const fileOf = (path: string, text: string): BundleFile => ({ path, file: readFileText(text, words), isTemplate: text.includes('{{') });

function sizeOf({ parts, values }: ServiceBundle): number {
  const files = parts.flatMap(part => ('files' in part ? part.files.map(one => one.file) : []));
  return [...files, ...values].reduce((sum, { text, holes }) => sum + text.length + 256 * holes.length, 256);
}

/** The files of a deployment; or those that a step names, also if they are left out of deployments. Throws InputError when one is not there. */
export function chooseFiles(bundle: ServiceBundle, skipMarks: readonly string[], filePaths?: readonly string[]): ServiceBundle {
  if (!filePaths) {
    const parts = bundle.parts.map(part => ('files' in part ? { files: part.files.filter(one => !isSkipped(one, skipMarks)) } : part));
    return { ...bundle, parts };
  }
  const all = bundle.parts.flatMap(part => ('files' in part ? part.files : []));
  const chosen = filePaths.flatMap(path => {
    const wanted = posix.normalize(`./${path}`).replace(/\/$/, '');
    const found = all.filter(one => one.path === wanted || one.path.startsWith(`${wanted}/`));
    if (found.length === 0) throw new InputError(inputReasons.notFound, `There is no file "${path}" in the manifests`);
    return found;
  });
  return { ...bundle, parts: [{ files: [...new Set(chosen)] }] };
}

function isSkipped({ file }: BundleFile, marks: readonly string[]): boolean {
  const [first = ''] = file.text.split('\n', 1);
  return marks.some(mark => first.includes(mark));
}
