const acronyms = new Set(['API', 'URL', 'UID', 'OSB', 'GUID']);

/** The name of a field for people, in kubectl's way: `observedGeneration` becomes `Observed Generation`. */
export function labelFor(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  return wordsOf(field)
    .map(word =>
      acronyms.has(word.toUpperCase())
        ? word.toUpperCase()
        : word.replace(/(^|[^\p{L}])(\p{L})/gu, (_, a: string, b: string) => a + b.toUpperCase()),
    )
    .join(' ');
}

/** Runs of the same case, where the last capital before small letters begins the next word: `podCIDRs` is pod, CID, Rs. */
function wordsOf(field: string): string[] {
  return field.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}\p{Ll}*|[^\p{Lu}-]+|-+/gu) ?? [field];
}
