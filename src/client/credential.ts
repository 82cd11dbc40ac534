import { readFile } from 'node:fs/promises';

/** What proves to an API server who is calling. */
export interface Credential {
  /** The value of the Authorization header. */
  readonly authorization?: string;
  /** PEM, for TLS. */
  readonly certificate?: string;
  readonly key?: string;
}

export interface CredentialSource {
  current(signal?: AbortSignal): Credential | Promise<Credential>;
  /** The server answered 401. True when asking again may give a better credential; the request is then sent once more. */
  refused?(credential: Credential): boolean;
}

export const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` });

export const basic = (username: string, password: string): Credential => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

export const fixed = (credential: Credential): CredentialSource => ({ current: () => credential });

const rereadAfterMs = 60_000;

export interface TokenFileOptions {
  /** Used until the file can be read. */
  readonly fallback?: string | undefined;
  readonly now?: () => number;
}

/** A bearer token in a file that somebody else renews, as kubelets do for service accounts. A file that cannot be read any more keeps its last token. */
export function tokenFile(path: string, { fallback, now = Date.now }: TokenFileOptions = {}): CredentialSource {
  let token = fallback;
  let readAtMs = -Infinity;
  return {
    async current() {
      if (token === undefined || now() - readAtMs >= rereadAfterMs) {
        const text = await readToken(path).catch((error: unknown) => {
          if (token === undefined) throw error;
          return token;
        });
        token = text;
        readAtMs = now();
      }
      return bearer(token);
    },
    refused() {
      readAtMs = -Infinity;
      return true;
    },
  };
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`cannot read the token file "${path}"`, { cause });
  });
  const token = text.trim();
  if (token === '') throw new Error(`the token file "${path}" is empty`);
  return token;
}
