const pattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const stages = ['alpha', 'beta', undefined];

/** Sorts versions of an API, the most mature and newest first: v2, v1, v1beta2, v1beta1, v1alpha1; then all others by name. */
export function compareKubeVersions(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [pattern.exec(a), pattern.exec(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : 1;
  const byStage = stages.indexOf(right[2]) - stages.indexOf(left[2]);
  return byStage || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0);
}
