import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';
import { urlHost } from '../util/url-host.ts';

/** A repository of git, in the parts that it was checked in. */
export interface GitAddress {
  readonly protocol: 'https' | 'http' | 'ssh';
  /** As a name server or a connection takes it: IPv6 without brackets, nothing odd. */
  readonly host: string;
  readonly port: number;
  /** With the slash it begins with. */
  readonly path: string;
  /** For SSH; "git" when the address names none. */
  readonly user: string;
  /** With user and password, where it had any. */
  readonly url: URL;
}

const form = /^git\+(https|http|ssh):\/\/([^/]+)(\/.+)$/;
const ports = { https: 443, http: 80, ssh: 22 } as const;

/**
 * Reads `git+https://…` and `git+ssh://…`. What comes out can be given to git: no part begins with a dash, nothing holds blanks or what shells and git
 * take for something else.
 */
export function parseGitAddress(text: string): GitAddress {
  const [, scheme, authority = '', path = ''] = form.exec(text) ?? [];
  const protocol = scheme as GitAddress['protocol'] | undefined;
  // Read as a web address in each case: then odd forms of IP addresses become plain ones.
  const url = protocol !== undefined && URL.canParse(`https://${authority}/`) ? new URL(`https://${authority}/`) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '') ?? '';
  const user = url?.username || 'git';
  const isWrong =
    !url ||
    protocol === undefined ||
    !/^[a-z0-9:][a-z0-9.:_-]*$/.test(host) ||
    !/^(?:\/[A-Za-z0-9._~%+@=-]+)+\/?$/.test(path) ||
    /(?:^|\/)(?:\.\.?(?:\/|$)|-)/.test(path) ||
    (protocol === 'ssh' && !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(user));
  if (isWrong)
    throw new SourceError(
      `${JSON.stringify(withoutCredentials(text))} is no address of the form git+https://HOST/PATH or git+ssh://USER@HOST/PATH`,
      {
        isFinal: true,
      },
    );
  const port = portOf(authority, url) ?? ports[protocol];
  return { protocol, host, port, path: path.replace(/\/$/, ''), user, url };
}

/** A web address forgets the port that is usual for it. */
function portOf(authority: string, url: URL): number | undefined {
  if (url.port !== '') return Number(url.port);
  return /:443$/.test(authority) ? 443 : undefined;
}

/** The address as git takes it, without credentials but for the user of SSH. */
export function gitUrl({ protocol, host, port, path, user }: GitAddress): string {
  const place = urlHost(host);
  const suffix = port === ports[protocol] ? '' : `:${port}`;
  return `${protocol}://${protocol === 'ssh' ? `${user}@` : ''}${place}${suffix}${path}`;
}

/** A branch, a tag or a commit. Throws for what git would not take for a name. */
export function checkRevision(version: string): void {
  const isName = /^[A-Za-z0-9_][A-Za-z0-9_./+@=#-]{0,199}$/.test(version) && !/\.\.|\/\/|@\{|\.lock(?:\/|$)|[/.]$|\/\./.test(version);
  if (!isName) throw new SourceError(`${JSON.stringify(version)} is no branch, tag or commit`, { isFinal: true });
}
