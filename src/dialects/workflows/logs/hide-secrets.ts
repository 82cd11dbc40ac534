const stars = '**************';
/** What is shorter occurs in other words. */
const minLength = 4;

export type Hide = (text: string) => string;

/** Puts stars where a secret stands. Of secrets that hold each other the longest is hidden whole. */
export function hideSecrets(secrets: Iterable<string>): Hide {
  const forms = new Set([...secrets].flatMap(formsOf));
  const hidden = [...forms].filter(one => one.length >= minLength).sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return text => text;
  return text => hidden.reduce((left, secret) => left.replaceAll(secret, stars), text);
}

/** As it is, as a string of JSON or YAML, and line by line: what is said is cut into lines, and those of a manifest move to the right. */
const formsOf = (secret: string): string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  ...(secret.includes('\n') ? secret.split('\n').map(line => line.trim()) : []),
];
