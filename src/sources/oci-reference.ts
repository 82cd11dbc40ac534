import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';

/** Something in a registry of the Open Container Initiative. */
export interface OciReference {
  /** `https://host[:port]`. */
  readonly registry: string;
  /** Its path in the registry. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
  /** User and password of the address, if it has any. */
  readonly userInfo: URL;
}

const path = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
export const digestForm = /^sha256:[0-9a-f]{64}$/;

/** Reads `oci://host[:port]/path[/name][:tag][@digest]`. */
export function parseOciReference(address: string, name?: string, { plainHttp = false }: { plainHttp?: boolean } = {}): OciReference {
  const [, rest = ''] = /^oci:\/\/([^?#\s]+)$/.exec(address) ?? [];
  const slash = rest.indexOf('/');
  const host = slash < 0 ? rest : rest.slice(0, slash);
  const text = slash < 0 ? '' : rest.slice(slash + 1);
  // As a web address: then the host is read, and written, as one.
  const base = `${plainHttp ? 'http' : 'https'}://${host}`;
  const [, inside = '', tag, digest] = /^([^:@]*)(?::([^:@]+))?(?:@(.+))?$/.exec(text) ?? [];
  const repository = [inside.replace(/\/+$/, ''), ...(name === undefined || name === '' ? [] : [name])]
    .filter(part => part !== '')
    .join('/');
  const isWrong =
    host === '' ||
    !URL.canParse(base) ||
    !path.test(repository) ||
    (tag !== undefined && !tagForm.test(tag)) ||
    (digest !== undefined && !digestForm.test(digest));
  if (isWrong)
    throw new SourceError(
      `${JSON.stringify(withoutCredentials([address, name].filter(Boolean).join('/')))} is no address of the form oci://HOST/PATH`,
      { isFinal: true },
    );
  const userInfo = new URL(base);
  // The name that people use is not where it is served.
  const registry = userInfo.hostname === 'docker.io' ? 'https://registry-1.docker.io' : userInfo.origin;
  return { registry, repository, tag, digest, userInfo };
}

/** What a tag is for a version: "+" cannot be in one. */
export const tagOf = (version: string): string => version.replaceAll('+', '_');
export const versionOf = (tag: string): string => tag.replaceAll('_', '+');
export const isTag = (text: string): boolean => tagForm.test(text);
