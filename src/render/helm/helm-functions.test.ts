import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorText } from '../../util/error-text.ts';
import { loadChart } from '../chart/load-chart.ts';
import answers from './helm-answers.json' with { type: 'json' };
import { renderChart } from './render-chart.ts';

const long = 'a long text that goes on and on and on until it is really quite long indeed, is it not so';
const values = `m: {a: 1, b: 2.5, c: [x, {y: 1}], d: null, e: {f: true, g: "it's", h: "${long}"}}\nl: [1, two, [3]]\n`;

/** What one action gives, as JSON; an error as text. */
function answerTo(template: string): string {
  const files: Record<string, string> = {
    'Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    'values.yaml': values,
    'templates/a.yaml': `kind: A\nv: ${template.replace(/^\{\{ (.*) \}\}$/s, '{{ ($1) | toString | toJson }}')}\n`,
  };
  const chart = loadChart(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })));
  try {
    const { manifests } = renderChart(chart, new Map(), { release: { name: 'r', namespace: 'default' } });
    return manifests[0]!.content.replace('kind: A\nv: ', '').trimEnd();
  } catch (error) {
    return `error: ${errorText(error).trim()}`;
  }
}

/** The answers are those of Helm 4.3.1. */
describe('functions of Helm', () => {
  for (const { template, answer } of answers) test(template, () => assert.equal(answerTo(template), answer));
});
