import { httpsTransport } from '../../client/https-transport.ts';
import { readBytes, readStatusError } from '../../client/read-answer.ts';

const timeoutMs = 15_000;

/** The import manifest at its address, fetched from the hub that these authorities vouch for and no other. */
export async function fetchManifest(address: string, authorities: string, signal: AbortSignal): Promise<string> {
  const url = new URL(address);
  await using transport = httpsTransport({ server: url.origin, ca: authorities });
  const answer = await transport.request({
    method: 'GET',
    path: url.pathname,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  if (answer.status !== 200) throw await readStatusError(answer);
  return (await readBytes(answer.body)).toString('utf8');
}
