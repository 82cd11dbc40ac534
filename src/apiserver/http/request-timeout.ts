import { badRequest } from '../../api/status.ts';
import { parseGoDuration, TimeError } from '../schema/go-time.ts';

const maxTimeoutMs = 60_000;
const maxDurationLength = 100;

/** The deadline of a request: what its client asks for in `?timeout=`, never more than a minute. */
export function requestTimeoutMs(query: URLSearchParams): number {
  const wanted = query.get('timeout') ?? '';
  if (wanted === '') return maxTimeoutMs;
  const ms = Number(parseTimeout(wanted) / 1_000_000n);
  return ms > 0 && ms < maxTimeoutMs ? ms : maxTimeoutMs;
}

function parseTimeout(text: string): bigint {
  try {
    if (text.length > maxDurationLength) throw new TimeError(`time: invalid duration ${JSON.stringify(text)}`);
    return parseGoDuration(text);
  } catch (error) {
    if (error instanceof TimeError) throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
    throw error;
  }
}
