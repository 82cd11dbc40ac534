import { contentTypes } from '../api/content.ts';
import { readFolderArchive } from '../render/archive.ts';
import { writeArchive } from '../render/write-archive.ts';
import { digestOf } from './digest.ts';
import { fetchArchive } from './fetch-archive.ts';
import { withGitTree } from './git.ts';
import { fetchOciLayer } from './oci-artifact.ts';
import { readBucket } from './read-bucket.ts';
import type { SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { withoutSourceIgnored } from './source-ignore.ts';
import { withoutCredentials } from './without-credentials.ts';

export interface FolderSource {
  /** `git+https://…`, `git+ssh://…`, `oci://…`, `s3+https://…` of a bucket, or `https://…` of a gzipped tar. */
  readonly repository: string;
  readonly version?: string | undefined;
  /** For registries without TLS, where the rules of egress allow it. */
  readonly plainHttp?: boolean;
  /** For git and registries: what to leave out, as .gitignore writes it, besides what .sourceignore there does. Neither counts when absent. */
  readonly ignore?: string | undefined;
  /** For registries: the media type of the layer, when it is another than usual. */
  readonly layerType?: string | undefined;
  /** For registries: the public keys, as PEM, of which one must have signed the artifact. Nobody need have when absent. */
  readonly signers?: readonly string[] | undefined;
}

export interface FetchedFolder {
  /** A gzipped tar in the one form that the same files always have: `readFolderArchive` opens it. */
  readonly bytes: Buffer;
  readonly digest: string;
}

/** The last is what Flux pushes. */
const folderTypes = [
  contentTypes.kustomization,
  'application/vnd.oci.image.layer.v1.tar+gzip',
  'application/vnd.cncf.flux.content.v1.tar+gzip',
];

/** Gets a folder of files from where it is. Whatever was hostile in the archive it came in is refused here. Throws SourceError. */
export async function fetchFolder(source: FolderSource, ctx: SourceContext): Promise<FetchedFolder> {
  const { repository, version, ignore, layerType, signers } = source;
  if (signers && !repository.startsWith('oci:'))
    throw new SourceError('signatures are checked of what is in registries only: oci://', { isFinal: true });
  if (repository.startsWith('git+'))
    return packed(
      withoutSourceIgnored(await withGitTree({ repository, version }, ctx, tree => tree.read('', { badLinks: 'skip' })), ignore),
    );
  if (repository.startsWith('oci:')) {
    const { plainHttp = false } = source;
    const mediaTypes = layerType === undefined ? folderTypes : [layerType];
    const { bytes, place } = await fetchOciLayer({ repository, version, plainHttp, signers }, mediaTypes, ctx);
    return repacked(bytes, place, ignore);
  }
  if (repository.startsWith('s3+')) {
    const { files, place } = await readBucket(repository, ctx);
    if (files.size === 0) throw new SourceError(`the bucket "${place}" has nothing that is wanted`, { isFinal: true });
    return packed(files);
  }
  if (!URL.canParse(repository) || !/^https?:$/.test(new URL(repository).protocol))
    throw new SourceError(
      `${JSON.stringify(withoutCredentials(repository))} is no source: git+https://, git+ssh://, oci:// and https:// are`,
      { isFinal: true },
    );
  const url = new URL(repository);
  return repacked(await fetchArchive(url, url, ctx), withoutCredentials(repository));
}

function repacked(bytes: Buffer, place: string, ignore?: string): FetchedFolder {
  try {
    return packed(withoutSourceIgnored(readFolderArchive(bytes), ignore));
  } catch (cause) {
    throw new SourceError(`what ${JSON.stringify(place)} holds cannot be used`, { cause, isFinal: true });
  }
}

function packed(files: ReadonlyMap<string, Buffer>): FetchedFolder {
  const ordered = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, data]) => ({ name, data }));
  const bytes = writeArchive(ordered);
  return { bytes, digest: digestOf(bytes) };
}
