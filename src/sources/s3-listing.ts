import { readPlainXml, type XmlElement } from './read-plain-xml.ts';

export interface S3Object {
  readonly key: string;
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface S3Page {
  readonly objects: readonly S3Object[];
  /** What to ask for the next page with. Undefined: there is none. */
  readonly nextToken: string | undefined;
}

/** One answer to ListObjectsV2. Throws when it is none. */
export function readS3Page(text: string): S3Page {
  const root = readPlainXml(text);
  if (root.name !== 'ListBucketResult') throw new Error('it is no list of objects');
  const isEncoded = textOf(root, 'EncodingType') === 'url';
  const objects = root.children.filter(({ name }) => name === 'Contents').map(one => objectOf(one, isEncoded));
  if (textOf(root, 'IsTruncated') !== 'true') return { objects, nextToken: undefined };
  const nextToken = textOf(root, 'NextContinuationToken');
  if (!nextToken) throw new Error('it has more pages and does not say how to ask for them');
  return { objects, nextToken };
}

function objectOf(element: XmlElement, isEncoded: boolean): S3Object {
  const key = textOf(element, 'Key') ?? '';
  const size = textOf(element, 'Size')?.trim() ?? '';
  if (key === '' || !/^[0-9]{1,15}$/.test(size)) throw new Error('it lists an object without a key or a size');
  return { key: isEncoded ? decoded(key) : key, etag: bareEtag(textOf(element, 'ETag')), sizeBytes: Number(size) };
}

/** What an error of an object store is called. */
export function s3ErrorCode(text: string): string | undefined {
  try {
    const root = readPlainXml(text);
    return root.name === 'Error' ? textOf(root, 'Code')?.trim() : undefined;
  } catch {
    return undefined;
  }
}

export const bareEtag = (etag = ''): string => etag.trim().replace(/^W\//, '').replaceAll('"', '');

const textOf = ({ children }: XmlElement, name: string): string | undefined => children.find(one => one.name === name)?.text;

/** As forms are encoded: a space is "+". */
const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
