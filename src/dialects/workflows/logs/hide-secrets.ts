const stars = '**************';
/** What is shorter occurs in other words. */
const minLength = 4;

export type Hide = (text: string) => string;

/** Puts stars where a secret stands. Of secrets that hold each other the longest is hidden whole. */
export function hideSecrets(secrets: Iterable<string>): Hide {
  const hidden = [...new Set(secrets)].filter(one => one.length >= minLength).sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return text => text;
  return text => hidden.reduce((left, secret) => left.replaceAll(secret, stars), text);
}
