/** What a chart makes up anew at each rendering, so that no two renderings agree on it. */
interface GeneratedValue {
  /** The end of the chart's folder. */
  readonly chart: string;
  /** Fields whose values are left out. */
  readonly fields?: readonly string[];
  /** Parts of names that are left out. */
  readonly part?: RegExp;
  readonly why: string;
}

const generatedValues: readonly GeneratedValue[] = [
  {
    chart: 'install/kubernetes/cilium',
    fields: ['ca.crt', 'ca.key', 'tls.crt', 'tls.key'],
    why: 'certificates of genCA and genSignedCert',
  },
  {
    chart: 'helm/chaos-mesh',
    fields: ['ca.crt', 'ca.key', 'tls.crt', 'tls.key', 'caBundle', 'rollme'],
    why: 'certificates of genCA and genSignedCert, and a random text that restarts pods',
  },
  {
    chart: 'helm/minio',
    fields: ['rootUser', 'rootPassword', 'checksum/secrets', 'checksum/secret'],
    why: 'a random user and password, and their checksum',
  },
  { chart: 'charts/podinfo', part: /(?<=-test-)[a-z0-9]{5}$/gm, why: 'names of test pods end in random letters' },
];

/** The text with what is made up anew taken out. */
export function withoutGenerated(chart: string, text: string): string {
  let kept = text;
  for (const { chart: end, fields = [], part } of generatedValues) {
    if (!chart.endsWith(end)) continue;
    const names = fields.map(RegExp.escape).join('|');
    if (fields.length > 0) kept = kept.replaceAll(new RegExp(`^( *(?:- )?"?(?:${names})"?: ).*$`, 'gm'), '$1(generated)');
    if (part) kept = kept.replaceAll(part, '(generated)');
  }
  return kept;
}
