import { errorOf } from './request.ts';

/** Reads an answer line by line until it ends or is stopped. Throws an ApiError with the words of the API. */
export async function readLines(path: string, signal: AbortSignal, take: (line: string) => void): Promise<void> {
  const res = await fetch(path, { headers: { accept: 'application/json' }, credentials: 'same-origin', cache: 'no-store', signal });
  if (!res.ok || !res.body) throw errorOf(res.status, await res.text());
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
