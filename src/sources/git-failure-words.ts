import { SourceError } from './source-error.ts';
import type { GitFailure } from './run-git.ts';

const known: readonly (readonly [RegExp, string, boolean])[] = [
  [/could not read (?:Username|Password)|terminal prompts disabled/i, 'wants credentials', true],
  [/Authentication failed|HTTP 401|error: 401|403 Forbidden|error: 403/i, 'does not accept the credentials', true],
  [/Permission denied \(/, 'does not accept the key', true],
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/i,
    'is not the host that known_hosts describes',
    true,
  ],
  [/couldn't find remote ref|not our ref|unadvertised object/i, 'does not have the revision', true],
  [/repository .* not found|does not appear to be a git repository|error: 404/i, 'is no repository of git', true],
  [/redirect/i, 'redirects while it is read', true],
  [/Could not resolve host/i, 'has no address', false],
  [/SSL certificate problem|server certificate verification failed|certificate/i, 'has a certificate that is not trusted', false],
  [/Connection timed out|Operation too slow|Failed to connect|Connection refused|Connection reset/i, 'cannot be reached', false],
  [/transport '.*' not allowed|protocol '.*' not allowed/i, 'wants another protocol', true],
];

/** What git said, in our own words: its own may repeat what the server says, and the server knows our credentials. */
export function explainGitFailure({ said }: GitFailure, place: string): SourceError {
  const [, words, isFinal] = known.find(([pattern]) => pattern.test(said)) ?? [undefined, 'cannot be read by git', false];
  return new SourceError(`"${place}" ${words}`, { isFinal });
}
