/** Whether a code of HTTP is among `200`, `"200-299"` and the like. What cannot be read holds none. */
export function isSuccessCode(code: number, wanted: readonly (number | string)[] | undefined): boolean {
  const ranges = wanted && wanted.length > 0 ? wanted : ['200-299'];
  return ranges.some(range => {
    const [, low, high = low] = /^\s*([0-9]{3})(?:\s*-\s*([0-9]{3}))?\s*$/.exec(String(range)) ?? [];
    return low !== undefined && code >= Number(low) && code <= Number(high);
  });
}
