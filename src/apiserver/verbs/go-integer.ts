const bounds = { ParseInt: [-(2n ** 63n), 2n ** 63n - 1n], ParseUint: [0n, 2n ** 64n - 1n] } as const;
const syntax = { ParseInt: /^[+-]?[0-9]+$/, ParseUint: /^[0-9]+$/ } as const;

/** A 64-bit integer from text, 0 for none; or what Go's strconv says to the text. */
export function parseGoInteger(text: string, parser: 'ParseInt' | 'ParseUint'): number | string {
  if (text === '') return 0;
  const fault = (why: string) => `strconv.${parser}: parsing ${JSON.stringify(text)}: ${why}`;
  if (!syntax[parser].test(text)) return fault('invalid syntax');
  const [min, max] = bounds[parser];
  const value = BigInt(text.replace(/^\+/, ''));
  return value < min || value > max ? fault('value out of range') : Number(value);
}
