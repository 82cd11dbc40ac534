import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface ObjectStoreOptions {
  /** Who may read. Everybody when absent. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly region?: string;
  /** How many objects a page has. */
  readonly pageSize?: number;
  /** Answers in the place of the store when it says true. */
  instead?(req: IncomingMessage, res: ServerResponse): boolean;
}

export interface ObjectStore {
  readonly objects: Map<string, Buffer>;
  readonly answer: RequestListener;
}

/** A store with one bucket, which judges signatures by the request as it came over the wire: none of the code that signs is used. */
export function objectStore(
  bucket: string,
  files: Readonly<Record<string, string | Buffer>>,
  options: ObjectStoreOptions = {},
): ObjectStore {
  const { keys, region = 'us-east-1', pageSize = 1000 } = options;
  const objects = new Map(Object.entries(files).map(([key, data]) => [key, Buffer.from(data)]));
  return { objects, answer };

  function answer(req: IncomingMessage, res: ServerResponse): void {
    if (options.instead?.(req, res)) return;
    const refusal = keys && judge(req, keys, region);
    if (refusal) return fail(res, 403, refusal);
    const url = new URL(req.url!, 'http://store');
    const [, name, ...rest] = url.pathname.split('/');
    if (name !== bucket) return fail(res, 404, 'NoSuchBucket');
    const key = rest.map(decodeURIComponent).join('/');
    if (key === '') return list(url.searchParams, res);
    const data = objects.get(key);
    if (!data) return fail(res, 404, 'NoSuchKey');
    res.writeHead(200, { etag: `"${etagOf(data)}"`, 'content-length': data.length }).end(data);
  }

  function list(query: URLSearchParams, res: ServerResponse): void {
    if (query.get('list-type') !== '2') return fail(res, 400, 'InvalidArgument');
    const all = [...objects.keys()].filter(key => key.startsWith(query.get('prefix') ?? '')).sort();
    const from = Number(query.get('continuation-token')?.replace('page+/=', '') ?? 0);
    const page = all.slice(from, from + pageSize);
    const isUrl = query.get('encoding-type') === 'url';
    const shown = (key: string) => (isUrl ? encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/') : escaped(key));
    const contents = page.map(key => {
      const data = objects.get(key)!;
      return `<Contents><Key>${shown(key)}</Key><ETag>&#34;${etagOf(data)}&#34;</ETag><Size>${data.length}</Size></Contents>`;
    });
    const next = from + pageSize < all.length ? `<NextContinuationToken>page+/=${from + pageSize}</NextContinuationToken>` : '';
    const encoding = isUrl ? '<EncodingType>url</EncodingType>' : '';
    res
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(
        `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>` +
          `<IsTruncated>${next !== ''}</IsTruncated>${encoding}${next}${contents.join('')}</ListBucketResult>`,
      );
  }
}

/** The error that the store has about who asks. */
function judge(req: IncomingMessage, keys: Readonly<Record<string, string>>, region: string): string | undefined {
  const sent =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? '',
    );
  if (!sent) return 'AccessDenied';
  const [, id = '', day = '', sentRegion = '', names = '', signature] = sent;
  const secret = keys[id];
  if (secret === undefined) return 'InvalidAccessKeyId';
  if (sentRegion !== region) return 'AuthorizationHeaderMalformed';
  const time = String(req.headers['x-amz-date']);
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!time.startsWith(day) || !(Math.abs(Date.now() - at) < 900_000)) return 'RequestTimeTooSkewed';
  if (!names.split(';').includes('host')) return 'SignatureDoesNotMatch';
  const [path = '', query = ''] = req.url!.split('?');
  const lines = names.split(';').map(name => `${name}:${String(req.headers[name])}`);
  const request = [req.method, path, query.split('&').sort().join('&'), ...lines, '', names, String(req.headers['x-amz-content-sha256'])];
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${createHash('sha256').update(request.join('\n')).digest('hex')}`;
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const right = mac(mac(mac(mac(mac(`AWS4${secret}`, day), region), 's3'), 'aws4_request'), toSign).toString('hex');
  return right === signature ? undefined : 'SignatureDoesNotMatch';
}

function fail(res: ServerResponse, status: number, code: string): void {
  // Real stores say more, and repeat what they were sent.
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>about ${code} of AKIDREADER</Message><StringToSign>x</StringToSign></Error>`;
  res.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
}

const etagOf = (data: Buffer): string => createHash('md5').update(data).digest('hex');
const escaped = (text: string): string => text.replace(/[&<>]/g, char => `&#${char.charCodeAt(0)};`);
