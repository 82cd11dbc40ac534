import { csrfHeaders, errorOf } from './request.ts';

export interface LineRequest {
  readonly path: string;
  /** JSON that is sent. */
  readonly body?: string | undefined;
}

/** Reads an answer line by line until it ends or is stopped. Throws an ApiError with the words of the API. */
export async function readLines(
  { path, body }: LineRequest,
  signal: AbortSignal,
  take: (line: string) => void,
  onAnswer?: () => void,
): Promise<void> {
  const sent = body !== undefined && { method: 'POST', body };
  const headers = { accept: 'application/json', ...(sent && { 'content-type': 'application/json', ...csrfHeaders() }) };
  const res = await fetch(path, { ...sent, headers, credentials: 'same-origin', cache: 'no-store', signal });
  if (!res.ok || !res.body) throw errorOf(res.status, await res.text());
  onAnswer?.();
  const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const found = (rest + value).split('\n');
    rest = found.pop()!;
    for (const line of found) if (line !== '') take(line);
  }
  if (rest !== '') take(rest);
}
