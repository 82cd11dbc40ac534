import { sprigFunctions } from '../sprig/sprig-functions.ts';
import { TemplateSet } from '../template/template-set.ts';

/** The name that a template such as `web-{{ randAlpha 5 | lower }}` makes. It knows nothing of charts. */
export function renderName(template: string): string {
  const set = new TemplateSet(sprigFunctions, { limits: { steps: 100_000, output: 10_000, deadline: performance.now() + 5000 } });
  set.parse('name-template', template);
  return set.execute('name-template', undefined);
}
