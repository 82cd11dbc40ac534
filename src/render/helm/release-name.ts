const namePattern = String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`;
const maxLength = 53;

/** Throws with Helm's words when a release cannot have the name. */
export function checkReleaseName(name: string): void {
  if (name === '') throw new Error('release name check failed: release name "": no name provided');
  if (name.length <= maxLength && new RegExp(namePattern).test(name)) return;
  throw new Error(
    `release name check failed: release name ${JSON.stringify(name)}: ` +
      `invalid release name, must match regex ${namePattern} and the length must not be longer than ${maxLength}`,
  );
}
