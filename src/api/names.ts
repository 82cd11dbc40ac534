/** The name formats of Kubernetes. Each check returns the reasons why a value does not fit, in the words of the API; none when it does. */

const dns1123LabelFmt = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123SubdomainFmt = `${dns1123LabelFmt}(\\.${dns1123LabelFmt})*`;
const dns1123UnderscoreLabelFmt = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const dns1123UnderscoreSubdomainFmt = `${dns1123UnderscoreLabelFmt}(\\.${dns1123UnderscoreLabelFmt})*`;
const dns1035LabelFmt = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wildcardSubdomainFmt = `\\*\\.${dns1123SubdomainFmt}`;
const labelKeyFmt = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValueFmt = `(${labelKeyFmt})?`;
const cIdentifierFmt = '[A-Za-z_][A-Za-z0-9_]*';
const percentFmt = '[0-9]+%';
const httpHeaderFmt = '[-A-Za-z0-9]+';
const configMapKeyFmt = '[-._a-zA-Z0-9]+';
const httpPathFmt = `[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+`;

const whole = (format: string) => new RegExp(`^${format}$`);

const dns1123Label = whole(dns1123LabelFmt);
const dns1123Subdomain = whole(dns1123SubdomainFmt);
const dns1123UnderscoreSubdomain = whole(dns1123UnderscoreSubdomainFmt);
const dns1035Label = whole(dns1035LabelFmt);
const wildcardSubdomain = whole(wildcardSubdomainFmt);
const labelKeyName = whole(labelKeyFmt);
const labelValue = whole(labelValueFmt);
const cIdentifier = whole(cIdentifierFmt);
const percent = whole(percentFmt);
const httpHeader = whole(httpHeaderFmt);
const configMapKey = whole(configMapKeyFmt);
const httpPath = whole(httpPathFmt);

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const labelKeyText = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Length in bytes of UTF-8, which is what Go counts. */
export const byteLength = (value: string) => Buffer.byteLength(value);
export const isLongerThan = (value: string, maxBytes: number) =>
  value.length > maxBytes || (value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes);

const maxCharacters = (length: number) => `must be no more than ${length} characters`;
const maxBytes = (length: number) => `must be no more than ${length} bytes`;
export const inclusiveRange = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;
const mustBeNonEmpty = 'must be non-empty';

/** The explanation of a value that does not fit a pattern, with examples that do. */
export function patternMessage(text: string, format: string, ...examples: string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${format}')`;
  const shown = examples.map(example => `'${example}', `).join(' or ');
  return `${text} (e.g. ${shown}regex used for validation is '${format}')`;
}

const none: string[] = [];

export function isDns1123Label(value: string): string[] {
  if (value.length <= 63 && dns1123Label.test(value)) return none;
  const problems = isLongerThan(value, 63) ? [maxCharacters(63)] : [];
  if (!dns1123Label.test(value))
    problems.push(
      dns1123Subdomain.test(value)
        ? 'must not contain dots'
        : patternMessage(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            dns1123LabelFmt,
            'my-name',
            '123-abc',
          ),
    );
  return problems;
}

export function isDns1123Subdomain(value: string): string[] {
  if (value.length <= 253 && dns1123Subdomain.test(value)) return none;
  const problems = isLongerThan(value, 253) ? [maxCharacters(253)] : [];
  if (!dns1123Subdomain.test(value)) problems.push(patternMessage(subdomainText, dns1123SubdomainFmt, 'example.com'));
  return problems;
}

export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  const problems = isLongerThan(value, 253) ? [maxCharacters(253)] : [];
  if (!dns1123UnderscoreSubdomain.test(value))
    problems.push(
      patternMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        dns1123UnderscoreSubdomainFmt,
        'example.com',
      ),
    );
  return problems;
}

export function isDns1035Label(value: string): string[] {
  const problems = isLongerThan(value, 63) ? [maxCharacters(63)] : [];
  if (!dns1035Label.test(value))
    problems.push(
      patternMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035LabelFmt,
        'my-name',
        'abc-123',
      ),
    );
  return problems;
}

export function isWildcardDns1123Subdomain(value: string): string[] {
  const problems = isLongerThan(value, 253) ? [maxCharacters(253)] : [];
  if (!wildcardSubdomain.test(value))
    problems.push(
      patternMessage(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcardSubdomainFmt,
        '*.example.com',
      ),
    );
  return problems;
}

/** Label keys, annotation keys, finalizers, condition types: an optional DNS prefix, a slash, a name. */
export function isQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2)
    return [
      `a valid label key ${patternMessage(labelKeyText, labelKeyFmt, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  if (parts.length === 2) problems.push(...prefixProblems(parts[0] ?? ''));
  const name = parts.at(-1) ?? '';
  if (name === '') problems.push(`name part ${mustBeNonEmpty}`);
  else if (isLongerThan(name, 63)) problems.push(`name part ${maxBytes(63)}`);
  if (!labelKeyName.test(name)) problems.push(`name part ${patternMessage(labelKeyText, labelKeyFmt, 'MyName', 'my.name', '123-abc')}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${mustBeNonEmpty}`];
  const problems = isLongerThan(prefix, 253) ? [`prefix part ${maxBytes(253)}`] : [];
  if (!dns1123Subdomain.test(prefix)) problems.push(`prefix part ${patternMessage(subdomainText, dns1123SubdomainFmt, 'example.com')}`);
  return problems;
}

export function isLabelValue(value: string): string[] {
  if (value.length <= 63 && labelValue.test(value)) return none;
  const problems = isLongerThan(value, 63) ? [maxBytes(63)] : [];
  if (!labelValue.test(value))
    problems.push(
      patternMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValueFmt,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  return problems;
}

export function isCIdentifier(value: string): string[] {
  if (cIdentifier.test(value)) return none;
  return [
    patternMessage(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      cIdentifierFmt,
      'my_name',
      'MY_NAME',
      'MyName',
    ),
  ];
}

const isInRange = (value: number, low: number, high: number): string[] =>
  value >= low && value <= high ? none : [inclusiveRange(low, high)];
export const isValidPortNum = (port: number): string[] => isInRange(port, 1, 65535);
export const isValidUserId = (id: number): string[] => isInRange(id, 0, 2147483647);
export const isValidGroupId = isValidUserId;

export function isValidPortName(port: string): string[] {
  const problems: string[] = [];
  if (isLongerThan(port, 15)) problems.push(maxCharacters(15));
  if (!/^[-a-z0-9]+$/.test(port)) problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(port)) problems.push('must contain at least one letter (a-z)');
  if (port.includes('--')) problems.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export function isPercent(value: string): string[] {
  if (percent.test(value)) return none;
  return [patternMessage("a valid percent string must be a numeric string followed by an ending '%'", percentFmt, '1%', '93%')];
}

export function isHttpHeaderName(value: string): string[] {
  if (httpHeader.test(value)) return none;
  return [patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", httpHeaderFmt, 'X-Header-Name')];
}

export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${mustBeNonEmpty}`];
  // eslint-disable-next-line no-control-regex
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(value)) return none;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function isConfigMapKey(value: string): string[] {
  const problems = isLongerThan(value, 253) ? [maxCharacters(253)] : [];
  if (!configMapKey.test(value))
    problems.push(
      patternMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configMapKeyFmt,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  return [...problems, ...dotDotProblems(value)];
}

function dotDotProblems(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : none;
}

/** Names that are free as long as they fit between two slashes of a URL. */
export function isPathSegmentName(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return isPathSegmentPrefix(name);
}

export function isPathSegmentPrefix(name: string): string[] {
  return ['/', '%'].filter(part => name.includes(part)).map(part => `may not contain '${part}'`);
}

export const isHttpPath = (path: string): string[] => (httpPath.test(path) ? none : [patternMessage('Invalid path', httpPathFmt)]);

/** A name as part of a longer, generated one: a dash at its end is allowed. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}
