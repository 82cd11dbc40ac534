import type { Chart } from './chart.ts';

/** Throws with Helm's words when Chart.yaml lists charts that are not in charts/. */
export function checkDependencies(chart: Chart): void {
  const present = new Set(chart.dependencies.map(child => child.metadata.name));
  const missing = (chart.metadata.dependencies ?? []).map(one => one.name).filter(name => !present.has(name));
  if (missing.length === 0) return;
  throw new Error(
    `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: ` +
      `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`,
  );
}
