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
import { withoutCredentials } from './without-credentials.ts';

export interface FolderSource {
  /** `git+https://…`, `git+ssh://…`, `oci://…`, `s3+https://…` of a bucket, or `https://…` of a gzipped tar. */
  readonly repository: string;
  readonly version?: string | undefined;
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
export async function fetchFolder({ repository, version }: FolderSource, ctx: SourceContext): Promise<FetchedFolder> {
  if (repository.startsWith('git+'))
    return packed(await withGitTree({ repository, version }, ctx, tree => tree.read('', { badLinks: 'skip' })));
  if (repository.startsWith('oci:')) {
    const { bytes, place } = await fetchOciLayer({ repository, version }, folderTypes, ctx);
    return repacked(bytes, place);
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

function repacked(bytes: Buffer, place: string): FetchedFolder {
  try {
    return packed(readFolderArchive(bytes));
  } catch (cause) {
    throw new SourceError(`what ${JSON.stringify(place)} holds cannot be used`, { cause, isFinal: true });
  }
}

function packed(files: ReadonlyMap<string, Buffer>): FetchedFolder {
  const ordered = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, data]) => ({ name, data }));
  const bytes = writeArchive(ordered);
  return { bytes, digest: digestOf(bytes) };
}
