import { SourceError } from './source-error.ts';

/** Throws in words what the answer of a source means when it is none of success. What the source itself says is left out: it may repeat our credentials. */
export function checkStatus(status: number, place: string, hasCredentials: boolean): void {
  if (status >= 200 && status < 300) return;
  const shown = JSON.stringify(place);
  if (status === 401)
    throw new SourceError(hasCredentials ? `${shown} does not accept the credentials (401)` : `${shown} wants credentials (401)`, {
      isFinal: true,
    });
  if (status === 403) throw new SourceError(`${shown} refuses access (403)`, { isFinal: true });
  if (status === 404 || status === 410) throw new SourceError(`there is no ${shown} (${status})`, { isFinal: true });
  if (status === 429) throw new SourceError(`${shown} is asked too often (429)`);
  throw new SourceError(`${shown} answers with status ${status}`);
}
