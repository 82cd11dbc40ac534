import { checkStatus } from './check-status.ts';
import { basicAuthorization } from './credentials.ts';
import type { SourceContext } from './source-context.ts';
import { withoutCredentials } from './without-credentials.ts';

/** No chart and no folder is longer when packed. */
export const maxArchiveBytes = 64 * 1024 * 1024;

/** The bytes behind an address, within the bound of archives. The credentials are those of `home` and go nowhere else. */
export async function fetchArchive(url: URL, home: URL, { egress, credentials, signal }: SourceContext): Promise<Buffer> {
  const isHome = url.origin === home.origin;
  const authorization = isHome ? basicAuthorization(credentials, home) : undefined;
  const { ca, insecureSkipVerify } = credentials.tls ?? {};
  const { status, body } = await egress.fetch({
    url: url.href,
    authorization,
    tls: isHome ? credentials.tls : { ca, insecureSkipVerify },
    maxBytes: maxArchiveBytes,
    timeoutMs: 300_000,
    signal,
  });
  checkStatus(status, withoutCredentials(url.href), authorization !== undefined);
  return body;
}
