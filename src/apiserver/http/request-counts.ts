const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

interface Series {
  readonly labels: string;
  readonly codes: Map<number, number>;
  readonly perBucket: number[];
  count: number;
  sumSeconds: number;
}

/** Counts requests and their durations. Every request passes here, so one look-up is all it may cost; the text is made when somebody asks. */
export class RequestCounts {
  readonly #series = new Map<string, Series>();

  observe(labels: RequestLabels, code: number, durationMs: number | undefined): void {
    const { verb, group, version, resource, subresource } = labels;
    const key = `${verb}/${group}/${version}/${resource}/${subresource}`;
    let series = this.#series.get(key);
    if (!series) {
      series = { labels: printLabels(labels), codes: new Map(), perBucket: buckets.map(() => 0), count: 0, sumSeconds: 0 };
      this.#series.set(key, series);
    }
    series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
    if (durationMs === undefined) return;
    const seconds = durationMs / 1000;
    const bucket = buckets.findIndex(limit => seconds <= limit);
    if (bucket >= 0) series.perBucket[bucket]!++;
    series.count++;
    series.sumSeconds += seconds;
  }

  /** In the text format of Prometheus. */
  print(): string {
    const lines = [
      '# HELP apiserver_request_total Counter of apiserver requests broken out for each verb, group, version, resource and HTTP response code.',
      '# TYPE apiserver_request_total counter',
    ];
    for (const { labels, codes } of this.#series.values())
      for (const [code, count] of codes) lines.push(`apiserver_request_total{${labels},code="${code}"} ${count}`);
    lines.push(
      '# HELP apiserver_request_duration_seconds Response latency distribution in seconds for each verb, group, version and resource.',
      '# TYPE apiserver_request_duration_seconds histogram',
    );
    for (const series of this.#series.values()) if (series.count > 0) lines.push(...printHistogram(series));
    return `${lines.join('\n')}\n`;
  }
}

function printHistogram({ labels, perBucket, count, sumSeconds }: Series): string[] {
  const name = 'apiserver_request_duration_seconds';
  let below = 0;
  return [
    ...buckets.map((limit, i) => `${name}_bucket{${labels},le="${limit}"} ${(below += perBucket[i]!)}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sumSeconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

function printLabels(labels: RequestLabels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, c => (c === '\n' ? '\\n' : `\\${c}`))}"`)
    .join(',');
}
