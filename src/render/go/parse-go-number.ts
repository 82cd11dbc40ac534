const digitsOf = (text: string): string => text.replaceAll('_', '');

/** strconv.ParseInt with base 0 and no bound: `0x1F`, `0b11`, `0o17`, `017`, `1_000`. Undefined when it is no integer. */
export function parseGoInteger(text: string): bigint | undefined {
  const match = /^([+-]?)(?:0[xX]((?:_?[0-9a-fA-F]+)+)|0[bB]((?:_?[01]+)+)|0[oO]?((?:_?[0-7]+)+)|(0|[1-9](?:_?[0-9])*))$/.exec(text);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const prefix = hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : '';
  const size = BigInt(prefix + digitsOf((hex ?? binary ?? octal ?? decimal)!));
  return sign === '-' ? -size : size;
}

/** strconv.ParseFloat of finite numbers with 64 bits; undefined where it gives an error. */
export function parseGoFloat(text: string): number | undefined {
  const hex = /^([+-]?)0[xX]([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([+-]?[0-9]+)$/.exec(text);
  if (hex) {
    const [whole, fraction] = [digitsOf(hex[2]!), digitsOf(hex[3]!)];
    if (whole + fraction === '') return undefined;
    const size = Number.parseInt(whole + fraction, 16) * 2 ** (Number(hex[4]) - 4 * fraction.length);
    return hex[1] === '-' ? -size : size;
  }
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
