import { authorizerFunctions } from './authorizer-library.ts';
import { CelError } from './cel.ts';
import { overload, type Overload } from './cel-overload.ts';
import { maxInt, minInt, Optional, type OpaqueValue } from './cel-values.ts';
import { extensionFunctions } from './extension-library.ts';
import { isV4InV6, maskAddress, parseAddress, parsePrefix, prefixContains, printAddress, type Address, type Prefix } from './ip-address.ts';
import { findNamedFormat, namedFormats, type NamedFormat } from './named-formats.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  QuantityError,
  quantityOf,
  signOfQuantity,
  subtractQuantities,
  type Quantity,
} from '../api/quantity.ts';
import { compareSemver, parseSemver, type Semver } from './semver.ts';
import { operators, standardFunctions } from './standard-library.ts';
import { parseRequestUri, type RequestUri } from './request-uri.ts';

class Opaque<T> implements OpaqueValue {
  readonly celTypeName: string;
  readonly held: T;
  readonly #equals: (a: T, b: T) => boolean;

  constructor(celTypeName: string, held: T, equals: (a: T, b: T) => boolean) {
    this.celTypeName = celTypeName;
    this.held = held;
    this.#equals = equals;
  }

  celEquals(other: OpaqueValue): boolean {
    return other instanceof Opaque && this.#equals(this.held, other.held as T);
  }
}

const quantityValue = (held: Quantity) => new Opaque('kubernetes.Quantity', held, (a, b) => compareQuantities(a, b) === 0);
const urlOf = (held: RequestUri) => new Opaque('kubernetes.URL', held, (a, b) => a.text === b.text);
const ipOf = (held: Address) => new Opaque('net.IP', held, (a, b) => a.bits === b.bits && a.value === b.value);
const cidrOf = (held: Prefix) =>
  new Opaque('net.CIDR', held, (a, b) => a.length === b.length && a.address.bits === b.address.bits && a.address.value === b.address.value);
const semverOf = (held: Semver) => new Opaque('kubernetes.Semver', held, (a, b) => compareSemver(a, b) === 0);
const formatOf = (held: NamedFormat) => new Opaque('kubernetes.NamedFormat', held, (a, b) => a.name === b.name);

type Q = Opaque<Quantity>;
type Ip = Opaque<Address>;
type Cidr = Opaque<Prefix>;
type V = Opaque<Semver>;
type U = Opaque<RequestUri>;

function quantity(text: string): Q {
  try {
    return quantityValue(parseQuantity(text));
  } catch (cause) {
    if (cause instanceof QuantityError) throw new CelError(cause.message, { cause });
    throw cause;
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

/** The amount, if it is a whole number that fits an int. */
function wholeAmount({ value, scale }: Quantity): bigint | undefined {
  const unit = 10n ** BigInt(Math.abs(scale));
  const whole = scale >= 0 ? value * unit : value % unit === 0n ? value / unit : undefined;
  return whole !== undefined && whole <= maxInt && whole >= minInt ? whole : undefined;
}

const quantityType = 'kubernetes.Quantity';

const quantities: readonly Overload[] = [
  overload(`quantity(string): ${quantityType}`, ([text]: [string]) => quantity(text)),
  overload('isQuantity(string): bool', ([text]: [string]) => isQuantity(text)),
  overload(`sign(${quantityType}): int`, ([q]: [Q]) => BigInt(signOfQuantity(q.held))),
  overload(`${quantityType}.isGreaterThan(${quantityType}): bool`, ([a, b]: [Q, Q]) => compareQuantities(a.held, b.held) > 0),
  overload(`${quantityType}.isLessThan(${quantityType}): bool`, ([a, b]: [Q, Q]) => compareQuantities(a.held, b.held) < 0),
  overload(`${quantityType}.compareTo(${quantityType}): int`, ([a, b]: [Q, Q]) => BigInt(Math.sign(compareQuantities(a.held, b.held)))),
  overload(`${quantityType}.asApproximateFloat(): double`, ([{ held }]: [Q]) => Number(`${held.value}e${held.scale}`)),
  overload(`${quantityType}.asInteger(): int`, ([q]: [Q]) => {
    const whole = wholeAmount(q.held);
    if (whole === undefined) throw new CelError('cannot convert value to integer');
    return whole;
  }),
  overload(`${quantityType}.isInteger(): bool`, ([q]: [Q]) => wholeAmount(q.held) !== undefined),
  overload(`${quantityType}.add(${quantityType}): ${quantityType}`, ([a, b]: [Q, Q]) => quantityValue(addQuantities(a.held, b.held))),
  overload(`${quantityType}.add(int): ${quantityType}`, ([a, b]: [Q, bigint]) => quantityValue(addQuantities(a.held, quantityOf(b)))),
  overload(`${quantityType}.sub(${quantityType}): ${quantityType}`, ([a, b]: [Q, Q]) => quantityValue(subtractQuantities(a.held, b.held))),
  overload(`${quantityType}.sub(int): ${quantityType}`, ([a, b]: [Q, bigint]) => quantityValue(subtractQuantities(a.held, quantityOf(b)))),
];

function ip(text: string): Ip {
  if (text.includes('%')) throw new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  const address = parseAddress(text);
  if (!address)
    throw new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  if (isV4InV6(address)) throw new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return ipOf(address);
}

function isIp(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && !isV4InV6(address);
}

function prefixProblem(text: string): string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  if (!parseAddress(text.slice(0, slash))) return `ParseAddr(${JSON.stringify(text.slice(0, slash))}): unable to parse IP`;
  return /^\d+$/.test(text.slice(slash + 1))
    ? 'prefix length out of range'
    : `bad bits after slash: ${JSON.stringify(text.slice(slash + 1))}`;
}

function cidr(text: string): Cidr {
  const prefix = parsePrefix(text);
  const why = 'network address parse error during conversion from string';
  if (!prefix) throw new CelError(`${why}: ${why}: netip.ParsePrefix(${JSON.stringify(text)}): ${prefixProblem(text)}`);
  if (isV4InV6(prefix.address)) throw new CelError(`${why}: IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return cidrOf(prefix);
}

const within = (text: string) => {
  const prefix = parsePrefix(text)!;
  return (address: Address): boolean => prefixContains(prefix, address);
};
const either =
  (...tests: ((address: Address) => boolean)[]) =>
  ({ held }: Ip): boolean =>
    tests.some(test => test(held));
const isUnspecified = ({ held }: Ip): boolean => held.value === 0n;
const isLoopback = either(within('127.0.0.0/8'), within('::1/128'));
const isLinkLocalMulticast = either(
  within('224.0.0.0/24'),
  ({ bits, value }) => bits === 128 && value >> 120n === 0xffn && ((value >> 112n) & 0xfn) === 2n,
);
const isLinkLocalUnicast = either(within('169.254.0.0/16'), within('fe80::/10'));
const isMulticast = either(within('224.0.0.0/4'), within('ff00::/8'));
const isGlobalUnicast = (address: Ip): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(address.held.bits === 32 && address.held.value === 0xffffffffn);

const containsCidr = (a: Cidr, b: Cidr): boolean => a.held.length <= b.held.length && prefixContains(a.held, b.held.address);

const addresses: readonly Overload[] = [
  overload('ip(string): net.IP', ([text]: [string]) => ip(text)),
  overload('isIP(string): bool', ([text]: [string]) => isIp(text)),
  overload('string(net.IP): string', ([value]: [Ip]) => printAddress(value.held)),
  overload('ip.isCanonical(string): bool', ([text]: [string]) => printAddress(ip(text).held) === text),
  overload('net.IP.family(): int', ([value]: [Ip]) => (value.held.bits === 32 ? 4n : 6n)),
  ...Object.entries({ isUnspecified, isLoopback, isLinkLocalMulticast, isLinkLocalUnicast, isGlobalUnicast }).map(([name, test]) =>
    overload(`net.IP.${name}(): bool`, ([value]: [Ip]) => test(value)),
  ),
  overload('cidr(string): net.CIDR', ([text]: [string]) => cidr(text)),
  overload('isCIDR(string): bool', ([text]: [string]) => {
    const prefix = parsePrefix(text);
    return prefix !== undefined && !isV4InV6(prefix.address);
  }),
  overload('string(net.CIDR): string', ([value]: [Cidr]) => `${printAddress(value.held.address)}/${value.held.length}`),
  overload('net.CIDR.containsIP(string): bool', ([value, text]: [Cidr, string]) => prefixContains(value.held, ip(text).held)),
  overload('net.CIDR.containsIP(net.IP): bool', ([value, address]: [Cidr, Ip]) => prefixContains(value.held, address.held)),
  overload('net.CIDR.containsCIDR(string): bool', ([value, text]: [Cidr, string]) => containsCidr(value, cidr(text))),
  overload('net.CIDR.containsCIDR(net.CIDR): bool', ([value, other]: [Cidr, Cidr]) => containsCidr(value, other)),
  overload('net.CIDR.ip(): net.IP', ([value]: [Cidr]) => ipOf(value.held.address)),
  overload('net.CIDR.prefixLength(): int', ([value]: [Cidr]) => BigInt(value.held.length)),
  overload('net.CIDR.masked(): net.CIDR', ([value]: [Cidr]) =>
    cidrOf({ address: maskAddress(value.held.address, value.held.length), length: value.held.length }),
  ),
];

const urls: readonly Overload[] = [
  overload('url(string): kubernetes.URL', ([text]: [string]) => {
    const parsed = parseRequestUri(text);
    if (!parsed)
      throw new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`);
    return urlOf(parsed);
  }),
  overload('isURL(string): bool', ([text]: [string]) => parseRequestUri(text) !== undefined),
  overload('kubernetes.URL.getScheme(): string', ([url]: [U]) => url.held.scheme),
  overload('kubernetes.URL.getHost(): string', ([url]: [U]) => url.held.host),
  overload('kubernetes.URL.getHostname(): string', ([url]: [U]) => url.held.hostname),
  overload('kubernetes.URL.getPort(): string', ([url]: [U]) => url.held.port),
  overload('kubernetes.URL.getEscapedPath(): string', ([url]: [U]) => url.held.escapedPath),
  overload('kubernetes.URL.getQuery(): map<string, list<string>>', ([url]: [U]) => url.held.query),
];

function semver(text: string, normalize: boolean): V {
  const parsed = parseSemver(text, normalize);
  if (!parsed) throw new CelError('No Major.Minor.Patch elements found');
  return semverOf(parsed);
}

const semvers: readonly Overload[] = [
  overload('semver(string): kubernetes.Semver', ([text]: [string]) => semver(text, false)),
  overload('semver(string, bool): kubernetes.Semver', ([text, normalize]: [string, boolean]) => semver(text, normalize)),
  overload('isSemver(string): bool', ([text]: [string]) => parseSemver(text, false) !== undefined),
  overload('isSemver(string, bool): bool', ([text, normalize]: [string, boolean]) => parseSemver(text, normalize) !== undefined),
  overload('kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool', ([a, b]: [V, V]) => compareSemver(a.held, b.held) > 0),
  overload('kubernetes.Semver.isLessThan(kubernetes.Semver): bool', ([a, b]: [V, V]) => compareSemver(a.held, b.held) < 0),
  overload('kubernetes.Semver.compareTo(kubernetes.Semver): int', ([a, b]: [V, V]) => BigInt(compareSemver(a.held, b.held))),
  overload('kubernetes.Semver.major(): int', ([v]: [V]) => v.held.major),
  overload('kubernetes.Semver.minor(): int', ([v]: [V]) => v.held.minor),
  overload('kubernetes.Semver.patch(): int', ([v]: [V]) => v.held.patch),
];

const formats: readonly Overload[] = [
  overload('format.named(string): optional<kubernetes.NamedFormat>', ([name]: [string]) => {
    const found = findNamedFormat(name);
    return found ? new Optional(formatOf(found)) : Optional.none;
  }),
  ...Object.entries(namedFormats).map(([name, named]) => overload(`format.${name}(): kubernetes.NamedFormat`, () => formatOf(named))),
  overload('kubernetes.NamedFormat.validate(string): optional<list<string>>', ([named, text]: [Opaque<NamedFormat>, string]) => {
    const problems = named.held.validate(text);
    return problems.length === 0 ? Optional.none : new Optional(problems);
  }),
  overload('jsonpatch.escapeKey(string): string', ([key]: [string]) => key.replaceAll('~', '~0').replaceAll('/', '~1')),
];

let library: ReadonlyMap<string, readonly Overload[]> | undefined;

/** All functions that expressions in Kubernetes may call, by name. */
export function kubernetesLibrary(): ReadonlyMap<string, readonly Overload[]> {
  library ??= Map.groupBy(
    [
      ...operators,
      ...standardFunctions,
      ...extensionFunctions,
      ...quantities,
      ...addresses,
      ...urls,
      ...semvers,
      ...formats,
      ...authorizerFunctions,
    ],
    candidate => candidate.name,
  );
  return library;
}
