// Writes src/core/delivery/recorded/health-answers.json: what kstatus, in the version that Helm uses, says of every case. Needs Go.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { healthCases } from '../src/core/delivery/health-cases.ts';

const module = path.resolve(import.meta.dirname, '../test/rig/helm');
const ran = spawnSync('go', ['run', './kstatus'], {
  cwd: module,
  input: JSON.stringify(Object.values(healthCases)),
  encoding: 'utf8',
});
if (ran.status !== 0) throw new Error(`kstatus ended with ${ran.status}: ${ran.stderr}`);
const answers = JSON.parse(ran.stdout) as unknown[];
const lines = Object.keys(healthCases).map((name, i) => `${JSON.stringify(name)}: ${JSON.stringify(answers[i])}`);
writeFileSync(new URL('../src/core/delivery/recorded/health-answers.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
