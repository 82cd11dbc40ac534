import { isJsonObject, parseJson } from '../../util/json.ts';

/** From where the import manifest comes, and whether to believe any certificate there. */
export interface Registration {
  /** Empty: the cluster is to belong to no hub. */
  readonly url: string;
  readonly insecureSkipTLSVerify: boolean;
}

/** The older form is the address alone, whose certificate nobody checks; the newer one is JSON. Throws an Error that says what is wrong. */
export function parseRegistration(value: string): Registration {
  const text = value.trim();
  if (text === '') return { url: '', insecureSkipTLSVerify: false };
  if (!text.startsWith('{')) return { url: checkUrl(text), insecureSkipTLSVerify: true };
  const parsed = parse(text);
  const { url = '', insecureSkipTLSVerify = false } = isJsonObject(parsed) ? parsed : {};
  if (typeof url !== 'string' || typeof insecureSkipTLSVerify !== 'boolean')
    throw new Error('the registration URL must be an address, or {"url": "https://…", "insecureSkipTLSVerify": false}');
  return { url: url === '' ? '' : checkUrl(url), insecureSkipTLSVerify };
}

function parse(text: string) {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new Error('the registration URL is not valid JSON', { cause });
  }
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Error(`${JSON.stringify(text.slice(0, 200))} is not an address such as https://hub.example.com/v3/import/…`);
  return url.href;
}
