/** How a server wants to know who asks: the scheme in lower case, and its parameters. */
export interface AuthChallenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const maxChallengeLength = 8192;
const scheme = /\s*([A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]*)(?:[ \t]+|$)/y;
const parameter = /[ \t,]*([A-Za-z0-9!#$%&'*+.^_`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/y;
const between = /[ \t]*,?[ \t]*/y;

/** The challenges of a WWW-Authenticate header, in order. What is in no form is passed over. */
export function parseChallenges(header: string): AuthChallenge[] {
  const challenges: AuthChallenge[] = [];
  if (header.length > maxChallengeLength) return challenges;
  let at = 0;
  while (at < header.length) {
    const named = matchAt(scheme, header, at);
    if (!named) break;
    at = scheme.lastIndex;
    const parameters = new Map<string, string>();
    for (let found = matchAt(parameter, header, at); found; found = matchAt(parameter, header, at)) {
      at = parameter.lastIndex;
      parameters.set(found[1]!.toLowerCase(), found[3] ?? (found[2] ?? '').replace(/\\(.)/g, '$1'));
    }
    challenges.push({ scheme: named[1]!.toLowerCase(), parameters });
    matchAt(between, header, at);
    at = Math.max(at, between.lastIndex);
  }
  return challenges;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
