import { maxFiles, maxUnpackedBytes } from '../render/archive.ts';
import { compareTexts } from '../util/compare-texts.ts';
import { mapBounded } from '../util/map-bounded.ts';
import { parseBucketAddress, type BucketAddress } from './bucket-address.ts';
import { s3Client, type S3Client } from './s3-client.ts';
import type { S3Object } from './s3-listing.ts';
import type { SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { ignoreFile, sourceIgnore } from './source-ignore.ts';
import { deadlineIn } from '../util/timer-limits.ts';

export interface BucketFiles {
  /** By their keys, in the order of these. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly place: string;
}

const isFinal = { isFinal: true } as const;
const atOnce = 8;

/** Reads the objects of a bucket: all that are wanted, or those of a folder, or the one object of that name. Throws SourceError. */
export async function readBucket(repository: string, ctx: SourceContext, folder = ''): Promise<BucketFiles> {
  const address = parseBucketAddress(repository);
  const failed = new AbortController();
  const late = deadlineIn(address.timeoutMs);
  const client = s3Client(address, { ...ctx, signal: AbortSignal.any([ctx.signal, late, failed.signal]) });
  try {
    const wanted = await chooseObjects(client, address, folder);
    const files = await mapBounded(wanted, atOnce, async object => {
      try {
        failed.signal.throwIfAborted();
        return [object.key, await client.get(object.key, object)] as const;
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    // What was deleted since it was listed is not there.
    return { files: new Map(files.filter((file): file is [string, Buffer] => file[1] !== undefined)), place: client.place };
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    if (late.aborted) throw new SourceError(`the bucket "${client.place}" could not be read within ${address.timeoutMs / 1000} s`);
    throw failed.signal.aborted ? failed.signal.reason : error;
  }
}

async function chooseObjects(client: S3Client, { prefix, ignore }: BucketAddress, folder: string): Promise<S3Object[]> {
  const isIgnored = sourceIgnore(await client.get(ignoreFile), ignore);
  const listed = await client.list(folder.startsWith(prefix) ? folder : prefix);
  const wanted = listed.filter(({ key }) => {
    const isBelow = folder === '' || key === folder || key.startsWith(`${folder}/`);
    return isBelow && key.startsWith(prefix) && !key.endsWith('/') && !isIgnored(key);
  });
  for (const { key } of wanted)
    if (!isPath(key))
      throw new SourceError(`the bucket "${client.place}" has an object whose key ${JSON.stringify(key)} is no path`, isFinal);
  if (new Set(wanted.map(({ key }) => key)).size !== wanted.length)
    throw new SourceError(`the list of "${client.place}" names an object twice`, isFinal);
  if (wanted.length > maxFiles) throw new SourceError(`the bucket "${client.place}" has more than ${maxFiles} objects`, isFinal);
  if (wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > maxUnpackedBytes)
    throw new SourceError(`the bucket "${client.place}" has more than the ${maxUnpackedBytes} bytes that are allowed`, isFinal);
  return wanted.toSorted((a, b) => compareTexts(a.key, b.key));
}

/** Whether a key names a file below a folder, for every program that may read it. */
const isPath = (key: string): boolean =>
  !/[\x00-\x1f\x7f\\]/.test(key) && key.split('/').every(part => part !== '' && part !== '.' && part !== '..');
